/** Every vector is either run by a test here or waits for an issue; none is forgotten, and none disappears unnoticed. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { VECTOR_FILES, type VectorFile, vectorFile } from './vectors.ts'

interface Coverage {
  count: number
  /** The test beside this one that passes all vectors of the kind, or what they wait for. */
  answer: { passedHere: string } | { waitsFor: string }
}

const passedHere = (count: number, test: string): Coverage => ({ count, answer: { passedHere: `${test}.test.ts` } })
const issue = (count: number, number: number): Coverage => ({ count, answer: { waitsFor: `issue ${number}` } })
const later = (count: number): Coverage => ({ count, answer: { waitsFor: 'the issue on queues' } })

/** Files that are answered as a whole have one kind, the name of the file. */
const COVERAGE: Record<VectorFile, Record<string, Coverage>> = {
  classification: {
    requestInfo: passedHere(119, 'request-info'),
    longRunning: passedHere(19, 'long-running'),
    subjectMatch: passedHere(27, 'match'),
    resourceRuleMatch: passedHere(43, 'match'),
    nonResourceRuleMatch: passedHere(36, 'match'),
    flowSchemaMatch: passedHere(5, 'match'),
    classify: passedHere(54, 'classify'),
    flowHash: passedHere(13, 'flow'),
    shuffleShardHand: passedHere(18, 'flow'),
    entropyBits: passedHere(21, 'flow'),
    queueChoice: passedHere(6, 'queue-choice'),
    impersonatedUser: passedHere(23, 'impersonated-user'),
    effectiveOrder: passedHere(11, 'effective-order'),
    danglingCondition: passedHere(2, 'maintenance'),
    missingPLColumn: passedHere(5, 'maintenance'),
    ensurerAction: passedHere(17, 'maintenance'),
    ensurerRemoval: passedHere(6, 'maintenance'),
    defaulting: passedHere(18, 'defaulting'),
    validation: passedHere(115, 'validation'),
    responseHeaders: passedHere(16, 'response-headers'),
    bootstrapObjects: passedHere(7, 'bootstrap-objects'),
  },
  seats: {
    flowHash: passedHere(5, 'flow'),
    deal: passedHere(20, 'flow'),
    entropyBits: passedHere(9, 'flow'),
    nominal: passedHere(17, 'seats'),
    maxSeats: passedHere(14, 'seats'),
    serverLimit: passedHere(11, 'server-limit'),
    listWork: passedHere(194, 'work-estimate'),
    mutatingWork: passedHere(106, 'work-estimate'),
    watchWork: passedHere(46, 'work-estimate'),
    borrowing: passedHere(50, 'allocation'),
    allocation: passedHere(18, 'allocation'),
    modeDetection: passedHere(16, 'mode-detection'),
    metricVisibility: passedHere(15, 'metric-visibility'),
    debugDump: passedHere(15, 'debug-dump'),
    retryAfter: passedHere(10, 'retry-after'),
    waitLimit: passedHere(9, 'wait-limit'),
    classify429: passedHere(8, 'too-many-requests'),
    seatSeconds: passedHere(7, 'seat-seconds'),
    demand: passedHere(6, 'seat-demand'),
    demandDecay: passedHere(1, 'seat-demand'),
    queueTrace: later(16),
  },
  limiters: {
    'cilium.parseRate': passedHere(30, 'cilium'),
    'cilium.option': passedHere(21, 'cilium'),
    'cilium.adjust': passedHere(20, 'cilium'),
    'cilium.wait': passedHere(18, 'cilium'),
    'maxinflight.classify': passedHere(19, 'max-in-flight'),
    'eventratelimit.sequence': passedHere(14, 'event-rate-limit'),
    'eventratelimit.validate': passedHere(9, 'event-rate-limit'),
    'watchcache.retryAfter': passedHere(11, 'watch-cache-retry'),
    'clientgo.resolveLimiter': passedHere(9, 'client-go'),
    'clientgo.retry': passedHere(9, 'client-go'),
    'clientgo.nCalls': passedHere(8, 'client-go'),
    'clientgo.bucket': passedHere(7, 'client-go'),
    'clientgo.throttledLog': passedHere(4, 'client-go'),
  },
  validation: { validation: issue(618, 7) },
  'throttle-samples': { 'throttle-samples': passedHere(153, 'throttle-samples') },
}

const WITH_KINDS: readonly VectorFile[] = ['classification', 'seats', 'limiters']

describe.each(VECTOR_FILES)('%s.json', (file) => {
  it('has the kinds and counts of the table', () => {
    const wanted = Object.entries(COVERAGE[file]).map(([kind, { count }]) => [kind, count])
    expect(Object.fromEntries(countByKind(file))).toEqual(Object.fromEntries(wanted))
  })

  const passed = Object.entries(COVERAGE[file]).flatMap(([kind, { answer }]) =>
    'passedHere' in answer ? [{ kind, test: answer.passedHere }] : [],
  )
  for (const { kind, test } of passed) {
    it(`${kind} is run by ${test}`, () => {
      const source = readFileSync(new URL(test, import.meta.url), 'utf8')
      const reads = WITH_KINDS.includes(file)
        ? new RegExp(`vectors(<.*>)?\\(\\s*'${file}',\\s*'${kind}'`, 's')
        : new RegExp(`vectorFile\\('${file}'\\)`)
      expect(source).toMatch(reads)
    })
  }
})

function countByKind(file: VectorFile): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entry of vectorFile(file)) {
    const kind = WITH_KINDS.includes(file) ? (entry as { kind: string }).kind : file
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}
