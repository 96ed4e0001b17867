/** Whether requests land where they were promised to. */
import { type Classifier, classify, plainClassifier } from '../../apf/classify.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../../apf/order.ts'
import type { RequestAttributes } from '../../apf/request.ts'
import { isRefused } from '../../apf/request-info.ts'
import { formatRequestLine } from '../../apf/request-line.ts'
import { type LevelSeats, levelSeats, requestSeatCaps } from '../../apf/seats.ts'
import { nearest } from '../../apf/suggest.ts'
import type { VersionRules } from '../../apf/versions.ts'
import type { StoredObjects } from '../../apf/work-estimate.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { type CostQuestion, requestCost } from '../request-cost.ts'
import type { AskedRequest, ExpectedOutcome, Range, RequestCase, SetCase } from './model.ts'

/** The cluster as far as expectations need it. */
export interface CheckContext {
  configuration: EffectiveConfiguration
  rules: VersionRules
  /** Seats of one API server; null where nobody told them. */
  serverSeats: number | null
  /** What is stored of the resource of a request; null where that is not known. */
  stored: (request: RequestAttributes) => StoredObjects | null
}

/** A rule that took a request; its schema as it is in force. */
export interface TakingRule {
  entry: EffectiveSchema
  ruleIndex: number
}

/** What came of one case. */
export interface CaseResult {
  of: RequestCase | SetCase
  /** Null: not known, see `problems`. */
  passed: boolean | null
  /** Requests tried; null for a proof. */
  tried: number | null
  /** Where the first request lands; of a proof that fails, its counter-example. Null for a proof that holds. */
  example: Tried | null
  /** The requests that fail, or whose promise could not be decided; of a proof its counter-examples. */
  problems: TriedProblem[]
  /** Rules that the case is about. */
  exercised: TakingRule[]
}

/** One request and where it lands. */
export interface Tried {
  /** Null for a target that the server refuses, which has no request line of its own. */
  witness: RequestLine | null
  /** What to call it where there is no witness. */
  target: string
  at: AskedRequest['at']
  actual: ActualLanding
}

/** What became of a request. */
export interface ActualLanding {
  outcome: ExpectedOutcome
  entry: EffectiveSchema | null
  ruleIndex: number | null
  /** Of the level; null where they are not asked for or not known. */
  nominalSeats: number | null
  /** Of the request; null where it is not asked for or not known. */
  width: number | null
}

/** A request that breaks its promise, or of which nobody can tell. */
export interface TriedProblem extends Tried {
  /** One line: what differs, or why nobody can tell. */
  why: string
  undecided: boolean
}

/** Classifies the requests of a case one by one, and holds each against what is expected of it. */
export function checkRequestCase(of: RequestCase, context: CheckContext): CaseResult {
  const classifier = plainClassifier(context.configuration)
  const seats = seatsOf(context)
  const exercised = new Map<string, TakingRule>()
  const problems: TriedProblem[] = []
  let example: Tried | null = null
  for (const asked of of.requests) {
    const tried = landingOf(asked, of, context, classifier, seats)
    example ??= tried
    const { entry, ruleIndex } = tried.actual
    if (entry !== null && ruleIndex !== null) {
      exercised.set(`${entry.schema.metadata.name}/${ruleIndex}`, { entry, ruleIndex })
    }
    problems.push(...problemsOf(tried, asked, of, context, seats))
  }
  const failed = problems.some(({ undecided }) => !undecided)
  return {
    of,
    passed: failed ? false : problems.length > 0 ? null : true,
    tried: of.requests.length,
    example,
    problems,
    exercised: [...exercised.values()],
  }
}

type SeatsByLevel = ReadonlyMap<string, LevelSeats> | null

function seatsOf({ configuration, serverSeats, rules }: CheckContext): SeatsByLevel {
  if (serverSeats === null) return null
  return new Map(levelSeats(configuration.levels.values(), serverSeats, rules).map((level) => [level.name, level]))
}

function landingOf(
  { identity, request, at }: AskedRequest,
  { expected }: RequestCase,
  { rules }: CheckContext,
  classifier: Classifier,
  seats: SeatsByLevel,
): Tried {
  const nowhere = { entry: null, ruleIndex: null, nominalSeats: null, width: null }
  if (isRefused(request)) {
    return { witness: null, target: request.refused, at, actual: { outcome: 'error', ...nowhere } }
  }
  const line = formatRequestLine(identity, request)
  const witness: RequestLine = { ...line, groups: [...line.groups] }
  const outcome = classify(classifier, identity, request, rules)
  if (outcome.outcome === 'bypass') return { witness, target: '', at, actual: { outcome: 'bypass', ...nowhere } }
  const { entry, ruleIndex } = outcome
  const nominalSeats = expected.nominalSeats === null ? null : (seats?.get(entry.level.metadata.name)?.nominal ?? null)
  return { witness, target: '', at, actual: { outcome: 'classified', entry, ruleIndex, nominalSeats, width: null } }
}

function problemsOf(
  tried: Tried,
  asked: AskedRequest,
  { expected }: RequestCase,
  context: CheckContext,
  seats: SeatsByLevel,
): TriedProblem[] {
  const { actual } = tried
  const fails = (why: string): TriedProblem[] => [{ ...tried, why, undecided: false }]
  const wanted = expected.outcome ?? 'classified'
  if (actual.outcome !== wanted) return fails(outcomeInWords(actual.outcome, tried.target))
  if (actual.entry === null) return []
  const landing = misplaced(actual.entry, expected, context.configuration)
  if (landing !== null) return fails(landing)
  const ofSeats = seatProblems(tried, actual.entry, expected.nominalSeats, context, seats)
  const ofWidth = widthProblems(tried, asked, actual.entry, expected.width, context, seats)
  const isNew = ({ why }: TriedProblem) => ofSeats.every((other) => other.why !== why)
  return [...ofSeats, ...ofWidth.filter(isNew)]
}

function outcomeInWords(outcome: ExpectedOutcome, target: string): string {
  if (outcome === 'bypass') return 'it bypasses APF: long-running requests are not classified'
  if (outcome === 'error') return `the server refuses it before APF: ${target}`
  return 'it is classified'
}

/** What is wrong with a landing, in words; null for nothing. A name that nothing has is said to be one. */
function misplaced(
  entry: EffectiveSchema,
  { flowSchema, priorityLevel }: RequestCase['expected'],
  configuration: EffectiveConfiguration,
): string | null {
  const schemaName = entry.schema.metadata.name
  const levelName = entry.level.metadata.name
  const isThere =
    (flowSchema === null || flowSchema === schemaName) && (priorityLevel === null || priorityLevel === levelName)
  if (isThere) return null
  const unknown = [unknownSchema(flowSchema, configuration), unknownLevel(priorityLevel, configuration)]
  return [landingInWords(entry), ...unknown.filter((text) => text !== null)].join('; ')
}

/** `it lands in workload-low through service-accounts (9000)`. */
export function landingInWords({ schema, level }: EffectiveSchema): string {
  return `it lands in ${level.metadata.name} through ${schema.metadata.name} (${schema.spec.matchingPrecedence})`
}

/** Says that no FlowSchema in force has the name; null if one has it. */
export function unknownSchema(name: string | null, { order, dangling }: EffectiveConfiguration): string | null {
  if (name === null || order.some(({ schema }) => schema.metadata.name === name)) return null
  const lost = dangling.find(({ schema }) => schema.metadata.name === name)
  if (lost) {
    const level = lost.schema.spec.priorityLevelConfiguration.name
    return `FlowSchema ${name} takes nothing: its priority level ${level} ${lost.because === 'no-such-level' ? 'does not exist' : 'is malformed'}`
  }
  return `there is no FlowSchema ${name}${meant(
    name,
    order.map(({ schema }) => schema.metadata.name),
  )}`
}

/** Says that no level in force has the name; null if one has it. */
export function unknownLevel(name: string | null, { levels }: EffectiveConfiguration): string | null {
  return name === null || levels.has(name)
    ? null
    : `there is no priority level ${name}${meant(name, [...levels.keys()])}`
}

function meant(name: string, known: readonly string[]): string {
  const candidate = nearest(name, known)
  return candidate === null ? '' : `; did you mean ${candidate}?`
}

const NEEDS_SEATS = 'the seats of the server are not known; give --server-seats N'

function seatProblems(
  tried: Tried,
  { level }: EffectiveSchema,
  range: Range | null,
  { rules }: CheckContext,
  seats: SeatsByLevel,
): TriedProblem[] {
  if (range === null) return []
  const { name } = level.metadata
  if (level.spec.limited === null && !rules.exemptLevelHasShares) {
    return [{ ...tried, why: `${name} has no seats of its own before Kubernetes 1.28`, undecided: false }]
  }
  const { nominalSeats } = tried.actual
  if (seats === null || nominalSeats === null) return [{ ...tried, why: NEEDS_SEATS, undecided: true }]
  const outside = outsideOf(nominalSeats, range)
  return outside === null
    ? []
    : [{ ...tried, why: `${name} has ${seatsInWords(nominalSeats)} nominal, ${outside}`, undecided: false }]
}

function widthProblems(
  tried: Tried,
  { request, query }: AskedRequest,
  { level }: EffectiveSchema,
  range: Range | null,
  { rules, stored }: CheckContext,
  seats: SeatsByLevel,
): TriedProblem[] {
  if (range === null || isRefused(request)) return []
  const exempt = level.spec.limited === null
  const caps = seats?.get(level.metadata.name) ?? (exempt ? requestSeatCaps(null, rules) : null)
  const question = { request, query, exempt, caps }
  const { most, least } = widthsOf({ ...question, stored: stored(request) }, rules)
  if (least !== null && least === most) {
    tried.actual.width = most
    const outside = outsideOf(most, range)
    return outside === null ? [] : [{ ...tried, why: `it takes ${seatsInWords(most)}, ${outside}`, undecided: false }]
  }
  if (most !== null && range.min === null && range.max !== null && most <= range.max) return []
  const why =
    most === null
      ? NEEDS_SEATS
      : `it takes 1 to ${most} seats, depending on what the server holds; metrics of the server tell (--from RECORDING)`
  return [{ ...tried, why, undecided: true }]
}

const EVERYTHING_STORED: StoredObjects = { count: 1e9, averageBytes: null }

/** What the request takes; `least` null where that depends on what is not known, `most` null where nothing caps it. */
function widthsOf(question: CostQuestion, rules: VersionRules): { least: number | null; most: number | null } {
  const cost = requestCost(question, rules)
  if ('work' in cost) {
    const width = Math.max(cost.work.initialSeats, cost.work.finalSeats)
    return { least: width, most: width }
  }
  if (question.caps === null) return { least: null, most: null }
  const atMost = requestCost({ ...question, stored: EVERYTHING_STORED }, rules)
  if (!('work' in atMost)) return { least: null, most: question.caps.maxFinalSeats }
  return { least: null, most: Math.max(atMost.work.initialSeats, atMost.work.finalSeats) }
}

function outsideOf(value: number, { min, max }: Range): string | null {
  if (min !== null && value < min) return `at least ${min} were promised`
  return max !== null && value > max ? `at most ${max} were promised` : null
}

function seatsInWords(seats: number): string {
  return seats === 1 ? '1 seat' : `${seats} seats`
}
