/** Random requests and allocation problems, reckoned by upstream's releases and by us. */
import { type AllocationItem, allocateFairly } from '../../src/apf/fair-allocation.ts'
import { readListOptions } from '../../src/apf/list-options.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { requestSeatCaps } from '../../src/apf/seats.ts'
import { rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { requestWork, type StoredObjects, type WorkEstimate } from '../../src/apf/work-estimate.ts'
import {
  type AllocationQuestion,
  askEstimators,
  type EstimateQuestion,
  type EstimatorQuestion,
  type EstimatorReply,
} from './estimators.ts'
import { Random } from './random.ts'

export interface EstimateCampaign {
  estimates: number
  /** Estimates of more than one seat, at the start or at the end. */
  wide: number
  allocations: number
  /** Problems that have an allocation. */
  solved: number
  disagreements: string[]
}

const BATCH = 500
const MOST_DISAGREEMENTS = 10

/** @param count  estimates, and half as many allocations where the release has them, spread over the releases */
export async function runEstimateCampaign(
  program: string,
  releases: readonly string[],
  count: number,
  seed: number,
): Promise<EstimateCampaign> {
  const random = new Random(seed)
  const result: EstimateCampaign = { estimates: 0, wide: 0, allocations: 0, solved: 0, disagreements: [] }
  const questions = Array.from({ length: Math.ceil(count / BATCH) }, (_, index): EstimatorQuestion => {
    const release = releases[index % releases.length] ?? ''
    const rules = rulesOf(release)
    return {
      release,
      estimates: Array.from({ length: BATCH }, () => randomEstimate(random, rules)),
      allocations: rules.lendingFields ? Array.from({ length: BATCH / 2 }, () => randomAllocation(random)) : [],
    }
  })
  await askEstimators(program, questions, (question, reply) => compare(question, reply, result))
  return result
}

function rulesOf(release: string): VersionRules {
  const [, minor = 0, patch = 0] = release.split('.').map(Number)
  // What keeps the counts of objects from the estimator lies outside of it.
  return { ...rulesFor({ minor, patch }), objectCountsReachEstimator: true }
}

function compare(question: EstimatorQuestion, reply: EstimatorReply, result: EstimateCampaign): void {
  const rules = rulesOf(question.release)
  const report = (asked: object, ours: unknown, upstream: unknown): void => {
    if (result.disagreements.length === MOST_DISAGREEMENTS) return
    const [us, them] = [JSON.stringify(ours), JSON.stringify(upstream)]
    result.disagreements.push(`${question.release}: ${JSON.stringify(asked)}\n  ours ${us}\n  upstream ${them}`)
  }
  question.estimates.forEach((asked, index) => {
    const upstream = reply.estimates?.[index]
    const ours = ourEstimate(asked, rules)
    result.estimates += 1
    if (ours.initialSeats > 1 || ours.finalSeats > 1) result.wide += 1
    if (JSON.stringify(ours) !== JSON.stringify(upstream)) report(asked, ours, upstream)
  })
  question.allocations.forEach((asked, index) => {
    const upstream = reply.allocations?.[index]
    const ours = allocateFairly(asked.required, asked.items)
    result.allocations += 1
    if ('error' in ours) {
      if (!upstream?.error) report(asked, ours, upstream)
      return
    }
    result.solved += 1
    const theirs = [...(upstream?.seats ?? []), upstream?.proportion ?? Number.NaN]
    const close = [...ours.seats, ours.proportion].every((value, at) => isClose(value, theirs[at] ?? Number.NaN))
    if (upstream?.error || !close) report(asked, ours, upstream)
  })
}

function ourEstimate(asked: EstimateQuestion, rules: VersionRules): WorkEstimate {
  const request = requestInfo(asked.method, asked.url)
  if (isRefused(request)) throw new Error(`${asked.url} is refused`)
  const features = {
    consistentListFromCache: asked.gates.includes('ConsistentListFromCache'),
    watchList: asked.gates.includes('WatchList'),
    sizeBasedListCostEstimate: asked.gates.includes('SizeBasedListCostEstimate'),
  }
  const { state, count, averageBytes } = asked.statistics
  const stored: StoredObjects = state === 'ok' ? { count, averageBytes } : state === 'stale' ? 'stale' : 'unknown'
  const options = readListOptions(asked.url.split('?')[1] ?? '')
  const caps = requestSeatCaps(asked.maxSeats || null, rules)
  return requestWork(request, options, { stored, watches: asked.watches }, caps, features, rules)
}

/** Upstream sums in another order. */
function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-7 * Math.max(1, Math.abs(a))
}

const COLLECTIONS = [
  '/api/v1/pods',
  '/api/v1/namespaces/shop/configmaps',
  '/apis/apps/v1/deployments',
  '/api/v1/watch/pods',
]
const OTHERS = [
  '/api/v1/namespaces/shop/pods/web',
  '/api/v1/namespaces/shop/pods/web/eviction',
  '/api/v1/namespaces/shop/serviceaccounts/builder/token',
  '/api/v1/namespaces/shop/serviceaccounts/builder',
  '/apis/apps/v1/namespaces/shop/deployments/web/scale',
  '/healthz',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'LIST']

/** Values of each option, '' among them being the option without a value. */
const OPTIONS: Record<string, readonly string[]> = {
  limit: ['1', '49', '50', '500', '5000', '0', '-1', '%2B5', 'abc', '', '9223372036854775808'],
  continue: ['token', ''],
  resourceVersion: ['0', '1', '12345', 'x', ''],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'Sometimes', ''],
  labelSelector: ['app%3Dweb', '!', ''],
  fieldSelector: ['metadata.name%3Dweb', 'metadata.name!%3Dweb', 'spec.nodeName%3Da', 'nonsense', ''],
  sendInitialEvents: ['true', 'false', 'FALSE', '0', '1', ''],
  timeoutSeconds: ['30', 'soon'],
  watch: ['true', '1', 'false', '0', ''],
}
/** Options that seldom come, as most of their values make a request something else. */
const RARE = ['timeoutSeconds', 'fieldSelector', 'watch']

function randomEstimate(random: Random, rules: VersionRules): EstimateQuestion {
  const onCollection = random.chance(0.8)
  const gates = [
    'APIListChunking',
    ...(rules.minor >= 28 && random.chance(0.6) ? ['ConsistentListFromCache'] : []),
    ...(random.chance(0.6) ? ['WatchList'] : []),
    ...(rules.listCost === 'bytes' && random.chance(0.8) ? ['SizeBasedListCostEstimate'] : []),
  ]
  return {
    method: onCollection && random.chance(0.85) ? 'GET' : random.pick(METHODS),
    url: `${random.pick(onCollection ? COLLECTIONS : OTHERS)}${randomQuery(random)}`,
    statistics: {
      state: random.chance(0.9) ? 'ok' : random.pick(['stale', 'notfound']),
      count: magnitude(random, 6),
      averageBytes: random.chance(0.1) ? random.integer(-1, 0) : magnitude(random, 6.5),
    },
    watches: magnitude(random, 4),
    maxSeats: random.chance(0.4) ? 0 : random.integer(1, random.chance(0.5) ? 12 : 200),
    gates,
  }
}

function randomQuery(random: Random): string {
  const pairs = Object.entries(OPTIONS).flatMap(([name, values]) =>
    random.chance(RARE.includes(name) ? 0.1 : 0.3) ? [`${name}=${random.pick(values)}`] : [],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** An integer of 0 … 10^digits, all magnitudes alike. */
function magnitude(random: Random, digits: number): number {
  return Math.floor(10 ** (random.next() * digits)) - 1
}

function randomAllocation(random: Random): AllocationQuestion {
  const items = Array.from({ length: random.integer(1, 12) }, () => randomItem(random))
  const lowerSum = items.reduce((sum, { lower }) => sum + lower, 0)
  const upperSum = items.reduce((sum, { upper }) => sum + upper, 0)
  // Mostly somewhere between the sums, now and then exactly on one of them or beyond.
  const required = random.chance(0.1)
    ? random.pick([lowerSum, upperSum, lowerSum - 1, upperSum + 1, 0])
    : lowerSum + Math.round((upperSum - lowerSum) * random.next() ** 2)
  return { required, items }
}

function randomItem(random: Random): AllocationItem {
  const lower = random.chance(0.3) ? 0 : magnitude(random, 3)
  const upper = lower + (random.chance(0.1) ? 0 : magnitude(random, 3.5))
  const more = random.chance(0.4) ? 0 : random.next() * magnitude(random, 3)
  if (random.chance(0.005))
    return random.pick([
      { lower: lower + 1, upper, target: lower },
      { lower: upper + 1, upper, target: upper + 1 },
    ])
  return { lower, upper, target: lower + more }
}

export function estimateSummary({ estimates, wide, allocations, solved }: EstimateCampaign): string {
  const wideShare = ((100 * wide) / estimates).toFixed(1)
  return `${estimates} estimates, ${wideShare} % of more than a seat; ${allocations} allocation problems, ${solved} solved`
}
