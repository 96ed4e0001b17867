/** `--verify`: has the server confirm an answer by reads that it answers anyway. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readableExamples } from '../../analysis/readable-examples.ts'
import { type MapRegion, subjectMap } from '../../analysis/subject-map.ts'
import type { RequestAttributes } from '../../apf/request.ts'
import { isRefused } from '../../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../../apf/request-line.ts'
import { CliError, EXIT, type ExitCode, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printFailure, printNotes } from '../../cli/messages.ts'
import { isLive } from '../../cli/source.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { type Announcement, createVerifier, type Verification, type Verifier } from '../../sources/live/verify.ts'
import { type Asked, askOf } from './context.ts'

/** What verifying has brought; `asked` holds the objects by which it was done, which may be newer ones. */
export interface VerifiedAnswer<Result> {
  asked: Asked
  results: Result[]
}

/** Verifies requests of the subject, in order. */
export function verifyRequests(
  requests: readonly RequestAttributes[],
  asked: Asked,
  io: Io,
): Promise<VerifiedAnswer<Verification>> {
  return byNewestObjects(asked, io, async (verifier, { subject }) => {
    const results: Verification[] = []
    for (const request of requests) {
      results.push(await verifier.verify(subject.identity, request, subject.callerBy !== null))
    }
    return results
  })
}

/** A region of a map with the server's word on a request in it. */
export interface VerifiedRegion {
  region: MapRegion
  /** What was verified; null where the region has no harmless read. */
  request: RequestLine | null
  result: Verification
}

/** Verifies one harmless read of every region; the bypass is left out, as no header tells of it. */
export function verifyMap(asked: Asked, io: Io): Promise<VerifiedAnswer<VerifiedRegion>> {
  return byNewestObjects(asked, io, async (verifier, { subject, context }) => {
    const { regions } = subjectMap(context.configuration, subject.identity, context.rules)
    const results: VerifiedRegion[] = []
    for (const region of regions) {
      if (region.schema !== null) results.push(await verifyRegion(region, verifier, subject))
    }
    return results
  })
}

/** The witness itself where it can be sent, else the plainest read of the region that can. */
async function verifyRegion(region: MapRegion, verifier: Verifier, subject: Asked['subject']): Promise<VerifiedRegion> {
  const { identity } = subject
  const verify = (line: RequestLine) => verifier.verify(identity, attributesOf(line), subject.callerBy !== null)
  let result = await verify(region.witness)
  if (result.verdict !== 'not-sent') return { region, request: region.witness, result }
  for (const example of readableExamples(region.requests, identity)) {
    const ofExample = await verify(example)
    if (ofExample.verdict !== 'not-sent') return { region, request: example, result: ofExample }
    result = ofExample
  }
  return { region, request: null, result }
}

function attributesOf(line: RequestLine): RequestAttributes {
  const read = readRequestLine(line)
  if (isMalformed(read) || isRefused(read.request)) throw new Error(`no request line: ${JSON.stringify(line)}`)
  return read.request
}

/** Verifies by the objects that were read, and, where these turn out to be old, anew by those read meanwhile. */
async function byNewestObjects<Result extends Verification | VerifiedRegion>(
  asked: Asked,
  io: Io,
  verifyAll: (verifier: Verifier, asked: Asked) => Promise<Result[]>,
): Promise<VerifiedAnswer<Result>> {
  if (!isLive(asked.state)) throw new Error('only a live cluster can verify')
  const verifier = createVerifier({
    state: asked.state,
    announce: (announcement) => printNotes([announcementInWords(announcement)], asked.flags.quiet, io),
    sleep,
  })
  const results = await verifyAll(verifier, asked)
  if (verifier.state() === asked.state) return { asked, results }
  const newer = askOf(verifier.state(), asked.flags)
  const isStale = results.some((result) => verificationOf(result).verdict === 'stale')
  if (!isStale) return { asked: newer, results }
  printNotes(['the objects have changed since they were read: answering by the new ones'], asked.flags.quiet, io)
  const again = await verifyAll(verifier, newer)
  return { asked: askOf(verifier.state(), asked.flags), results: again }
}

function verificationOf(result: Verification | VerifiedRegion): Verification {
  return 'region' in result ? result.result : result
}

function announcementInWords({ url, impersonate }: Announcement): string {
  if (impersonate === null) return `sending GET ${url} as ourselves`
  const { user } = impersonate
  const groups = impersonate.groups.map((group) => group || '""')
  const inGroups = groups.length === 0 ? '' : ` in ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`
  return `sending GET ${url} as ${user}${inGroups}`
}

/** Tells why verifications did not come about, each reason once. */
export function printVerificationFailures(results: readonly Verification[], io: Io): void {
  const failures = new Map(
    results.flatMap(({ failure }) => (failure === null ? [] : [[failure.what, failure] as const])),
  )
  for (const failure of failures.values()) printFailure(new CliError(failure), io)
}

/** @param wanted  verifications that were asked for as such, so that one that could not be sent leaves a gate open */
export function exitCodeOfVerifications(results: readonly Verification[], wanted: readonly Verification[]): ExitCode {
  return worstExit(
    ...results.map(({ verdict }) => {
      if (verdict === 'disagrees') return EXIT.findings
      return verdict === 'undecided' || verdict === 'stale' ? EXIT.unanswered : EXIT.ok
    }),
    wanted.some(({ verdict }) => verdict === 'not-sent') ? EXIT.unanswered : EXIT.ok,
  )
}
