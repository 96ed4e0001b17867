/**
 * The compiled classifier against the linear scan of upstream's Go code: the same objects in the same order, the same parsed
 * requests, in turns. The plain classifier is shown beside them.
 */
import { type Classifier, plainClassifier } from '../src/apf/classify.ts'
import { compileClassifier } from '../src/apf/compiled-classifier.ts'
import type { Identity, RequestAttributes } from '../src/apf/request.ts'
import { isRefused, requestInfo } from '../src/apf/request-info.ts'
import { rulesFor } from '../src/apf/versions.ts'
import { buildOracle, missingToolchain } from '../test/oracle/build.ts'
import { effective } from '../test/oracle/compare.ts'
import { crowdedConfiguration } from '../test/oracle/objects.ts'
import { Oracle, type RequestLine } from '../test/oracle/process.ts'
import { Random } from '../test/oracle/random.ts'
import { randomFamily } from '../test/oracle/requests.ts'

const SEED = 1
/** Few enough to stay in the caches of both sides, as a request that has just been parsed does. */
const REQUESTS = 2_000
/** Short rounds, and many: the best of each side is one that nobody disturbed. */
const ROUNDS = 31
const PASSES = 20
/** Real servers see few requests for paths; the generator makes many, as their rules are tricky. */
const PATHS_KEPT = 0.1
/** Schemas beside the 13 default ones, with the bar on how many times as fast as Go we are. */
const CROWDS = [
  { schemas: 0, bar: 1.5 },
  { schemas: 200, bar: 10 },
]

if (missingToolchain) {
  console.error(`the classifier benchmark ${missingToolchain}`)
  process.exit(2)
}
const oracle = new Oracle(await buildOracle())
const defaults = await oracle.defaultObjects()
let missed = false
for (const { schemas, bar } of CROWDS) {
  const random = new Random(SEED)
  const configuration = crowdedConfiguration(random, defaults, schemas)
  const sought = schemas === 0 ? crowdedConfiguration(random, defaults, 40) : configuration
  const lines: RequestLine[] = []
  while (lines.length < REQUESTS) lines.push(...randomFamily(random, sought).filter((line) => isWanted(random, line)))
  giveSteadyGroups(random, lines)

  const { order, catchAll, ...rest } = effective(configuration, rulesFor({ minor: 37 }))
  const schemaOf = new Map(configuration.flowSchemas.map((schema) => [schema.metadata.name, schema]))
  await oracle.benchLoad(
    order.flatMap(({ schema }) => schemaOf.get(schema.metadata.name) ?? []),
    lines,
  )
  const parsed = lines.map(({ user, groups, method, url }): [Identity, RequestAttributes] => {
    const request = requestInfo(method, url)
    if (isRefused(request)) throw new Error(`refused: ${url}`)
    return [{ name: user, groups }, request]
  })
  const compiled = compileClassifier({ order, catchAll, ...rest })
  const plain = plainClassifier({ order, catchAll, ...rest })

  const sides = {
    'upstream Go': () => oracle.benchRound(PASSES),
    compiled: () => Promise.resolve(nanoseconds(compiled, parsed, PASSES)),
    plain: () => Promise.resolve(nanoseconds(plain, parsed, 1)),
  }
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(sides)) best.set(name, Math.min(best.get(name) ?? Infinity, await run()))
  }
  const callers = new Set(lines.map(({ user }) => user)).size
  console.log(`${order.length} schemas, ${parsed.length} requests of ${callers} callers:`)
  for (const [name, time] of best) console.log(`  ${name}: ${time.toFixed(0)} ns a request`)
  const ratio = (best.get('upstream Go') ?? 0) / (best.get('compiled') ?? 0)
  if (ratio < bar) missed = true
  console.log(
    `  compiled is ${ratio.toFixed(1)} × as fast as upstream; bar ${bar}: ${ratio >= bar ? 'held' : 'MISSED'}`,
  )
}
oracle.close()
// Times are no assertion unless asked for: a busy machine proves nothing.
if (missed && process.argv.includes('--check')) process.exitCode = 1

function isWanted(random: Random, { method, url }: RequestLine): boolean {
  const request = requestInfo(method, url)
  return !isRefused(request) && (request.isResourceRequest || random.chance(PATHS_KEPT))
}

/** As in a real cluster, whoever has a name has the same groups in all requests; what the generator drew is spread over names. */
function giveSteadyGroups(random: Random, lines: RequestLine[]): void {
  const groupsOf = new Map<string, string[]>()
  for (const line of lines) {
    const known = groupsOf.get(line.user)
    if (known && random.chance(0.5)) line.groups = known
    else if (known) line.user += `-${line.groups.join('-')}`
    groupsOf.set(line.user, line.groups)
  }
}

function nanoseconds(
  classifier: Classifier,
  requests: readonly [Identity, RequestAttributes][],
  passes: number,
): number {
  let matched = 0
  const start = performance.now()
  for (let pass = 0; pass < passes; pass++) {
    for (const [identity, request] of requests) if (classifier.find(identity, request).ruleIndex !== null) matched++
  }
  const elapsed = performance.now() - start
  if (matched === 0) throw new Error('no request matched')
  return (elapsed * 1e6) / (passes * requests.length)
}
