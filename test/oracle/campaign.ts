/** Random configurations and requests, answered by upstream and by us. */
import { rulesFor, type VersionRules } from '../../src/apf/versions.ts'
import { differences, Ours, same, upstreamVerdict, type Verdict } from './compare.ts'
import { randomConfiguration } from './objects.ts'
import { type Configuration, Oracle, textOf } from './process.ts'
import { Random } from './random.ts'
import { type Family, randomFamily } from './requests.ts'
import { type Case, shrink } from './shrink.ts'

export interface CampaignOptions {
  /** Path of the oracle's program. */
  program: string
  /** Release of k8s.io/apiserver that it is built on: `0.37.2`. */
  upstream: string
  /** Requests to compare, at least. */
  count: number
  seed: number
  onProgress?: (requests: number) => void
}

export interface CampaignResult {
  configurations: number
  requests: number
  outcomes: Record<string, number>
  /** Requests that landed in a schema which is not one of the defaults. */
  custom: number
  /** Requests of which upstream answers a neighbour, one attribute away, with another schema. */
  near: number
  /** Requests with a flow. */
  flows: number
  /** Requests in a schema or level of the server's own. */
  standIns: number
  /** Descriptions of disagreements, shrunk; empty if all is well. */
  disagreements: string[]
}

const REQUESTS_PER_CONFIGURATION = 500
const QUESTIONS_IN_FLIGHT = 6
const MOST_DISAGREEMENTS = 3
const SHRINKING_MILLISECONDS = 60_000

/**
 * Compares everything there is to compare about `count` requests. Configuration i of a campaign depends on `seed + i` alone.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { program, upstream, count, seed, onProgress } = options
  const [, minor = 0, patch = 0] = upstream.split('.').map(Number)
  const rules = rulesFor({ minor, patch })
  const oracle = new Oracle(program)
  const result: CampaignResult = {
    configurations: 0,
    requests: 0,
    outcomes: {},
    custom: 0,
    near: 0,
    flows: 0,
    standIns: 0,
    disagreements: [],
  }
  try {
    const defaults = await oracle.defaultObjects()
    const defaultNames = new Set(
      [...defaults.mandatoryFlowSchemas, ...defaults.suggestedFlowSchemas].map(({ metadata }) => metadata.name),
    )
    const configurations = Math.ceil(count / REQUESTS_PER_CONFIGURATION)
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < configurations && result.disagreements.length < MOST_DISAGREEMENTS) {
        const configurationSeed = seed + next++
        const random = new Random(configurationSeed)
        const configuration = randomConfiguration(random, defaults)
        const families: Family[] = []
        for (let requests = 0; requests < REQUESTS_PER_CONFIGURATION; ) {
          const family = randomFamily(random, configuration)
          families.push(family)
          requests += family.length
        }
        const failing = await compareConfiguration(oracle, configuration, families, rules, defaultNames, result)
        if (failing) result.disagreements.push(await describe(oracle, failing, rules, configurationSeed))
        onProgress?.(result.requests)
      }
    }
    await Promise.all(Array.from({ length: QUESTIONS_IN_FLIGHT }, worker))
  } finally {
    oracle.close()
  }
  return result
}

/** Adds one configuration to the result and returns its first disagreement. */
async function compareConfiguration(
  oracle: Oracle,
  configuration: Configuration,
  families: readonly Family[],
  rules: VersionRules,
  defaultNames: ReadonlySet<string>,
  result: CampaignResult,
): Promise<Case | null> {
  const requests = families.flat()
  const { levels, answers } = await oracle.classify(configuration, requests)
  const ours = new Ours(configuration, rules)
  let failing: Case | null = null
  if (ours.levels().join('\n') !== levels.map(textOf).join('\n')) {
    failing = { configuration, request: families[0]?.[0] ?? { user: '', groups: [], method: 'GET', url: '/' } }
  }
  const verdicts = answers.map(upstreamVerdict)
  requests.forEach((request, index) => {
    const upstream = verdicts[index]
    if (!upstream) throw new Error('the oracle left requests unanswered')
    count(result, upstream, defaultNames)
    if (failing === null && ours.verdicts(request).some((verdict) => differences(verdict, upstream).length > 0)) {
      failing = { configuration, request }
    }
  })
  result.configurations += 1
  result.near += nearMisses(families, verdicts)
  return failing
}

function count(result: CampaignResult, verdict: Verdict, defaultNames: ReadonlySet<string>): void {
  result.requests += 1
  result.outcomes[verdict.outcome] = (result.outcomes[verdict.outcome] ?? 0) + 1
  if (verdict.schema !== null && !defaultNames.has(verdict.schema)) result.custom += 1
  if (verdict.flow) result.flows += 1
  if (verdict.standIns?.includes(true)) result.standIns += 1
}

/** A request is a near miss if it and the first of its family, or it as the first and any other, land in other schemas. */
function nearMisses(families: readonly Family[], verdicts: readonly Verdict[]): number {
  let near = 0
  let at = 0
  for (const family of families) {
    const landings = verdicts.slice(at, at + family.length).map(({ schema, outcome }) => schema ?? outcome)
    const others = landings.filter((landing) => landing !== landings[0]).length
    near += others === 0 ? 0 : others + 1
    at += family.length
  }
  return near
}

async function describe(oracle: Oracle, failing: Case, rules: VersionRules, seed: number): Promise<string> {
  const disagree = async ({ configuration, request }: Case): Promise<string[]> => {
    const { levels, answers } = await oracle.classify(configuration, [request])
    const ours = new Ours(configuration, rules)
    const lines: string[] = []
    const [ourLevels, theirLevels] = [JSON.stringify(ours.levels()), JSON.stringify(levels.map(textOf))]
    if (ourLevels !== theirLevels) lines.push(`levels: ours ${ourLevels}, upstream ${theirLevels}`)
    const upstream = answers[0] && upstreamVerdict(answers[0])
    const [plain, compiled = plain] = ours.verdicts(request)
    if (!upstream || !plain || !compiled) throw new Error('the oracle left the request unanswered')
    for (const [name, verdict] of same(plain, compiled)
      ? [['ours', plain] as const]
      : Object.entries({ plain, compiled })) {
      for (const member of differences(verdict, upstream)) {
        lines.push(`${member}: ${name} ${text(verdict[member])}, upstream ${text(upstream[member])}`)
      }
    }
    return lines
  }
  const deadline = Date.now() + SHRINKING_MILLISECONDS
  const small = await shrink(failing, async (candidate) => (await disagree(candidate)).length > 0, deadline)
  return [
    `seed ${seed}: ${text(small.request)}`,
    ...(await disagree(small)).map((line) => `  ${line}`),
    ...small.configuration.flowSchemas.map((object) => `  FlowSchema ${text(object)}`),
    ...small.configuration.priorityLevels.map((object) => `  PriorityLevelConfiguration ${text(object)}`),
  ].join('\n')
}

function text(value: unknown): string {
  return JSON.stringify(value)
}

/** One line on what was compared. */
export function summary({ configurations, requests, custom, near, flows, standIns, outcomes }: CampaignResult): string {
  const share = (part: number): string => `${((100 * part) / requests).toFixed(1)} %`
  const parts = Object.entries(outcomes).sort(([, a], [, b]) => b - a)
  return [
    `${requests} requests in ${configurations} configurations:`,
    `${share(custom)} in a custom schema, ${share(near)} one attribute away from another answer,`,
    `${share(flows)} with a flow, ${share(standIns)} with stand-ins;`,
    parts.map(([outcome, times]) => `${outcome} ${share(times)}`).join(', '),
  ].join(' ')
}
