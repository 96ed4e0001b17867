/** Where a request lands, for people: the verdict, what it rests on, what was passed over, what is not known. */
import { matchInWords } from '../analysis/match-in-words.ts'
import type { Unknown, WhereisAnswer } from '../analysis/whereis.ts'
import type { SchemaMatch } from '../apf/classify.ts'
import type { Reason, TraceStep } from '../apf/explain.ts'
import { dealtQueues } from '../apf/flow.ts'
import { placeOf } from '../apf/problem.ts'
import type { Identity, RequestAttributes } from '../apf/request.ts'
import type { LevelSeats } from '../apf/seats.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'

/** What the seats of a level are computed from. */
export interface SeatsBasis {
  serverSeats: number
  /** False: the seats of a server with default flags were assumed. */
  given: boolean
}

/**
 * Where a request lands, complete in one line.
 * @param fairnessIsOff  another limiter than APF is known to be active on the server
 */
export function verdict(answer: WhereisAnswer, phrase: string, identity: Identity, fairnessIsOff: boolean): string {
  const who = `${phrase} by ${identity.name}`
  const { outcome } = answer
  if (outcome.outcome === 'bypass') {
    return fairnessIsOff
      ? `${FAIRNESS_IS_OFF} ${who} would bypass it: long-running requests are not classified`
      : `${who} bypasses APF: long-running requests are not classified`
  }
  const { schema, level } = outcome.entry
  const place = `in ${level.metadata.name} through ${schema.metadata.name} (${schema.spec.matchingPrecedence})`
  return fairnessIsOff ? `${FAIRNESS_IS_OFF} ${who} would land ${place}` : `${who} lands ${place}`
}

/** What every answer of such a server begins with. */
export const FAIRNESS_IS_OFF = 'APF is off on this server; with APF'

/** A fact below the verdict, with its name in the first column. */
export interface Fact {
  name: string
  text: string
}

export function facts(
  answer: WhereisAnswer,
  identity: Identity,
  request: RequestAttributes,
  basis: SeatsBasis | null,
  levelsKnown: boolean,
): Fact[] {
  const { outcome } = answer
  if (outcome.outcome === 'bypass') {
    return [{ name: 'effect', text: 'no seat, no queue, no X-Kubernetes-PF headers, no APF metrics' }]
  }
  const { metadata, spec } = outcome.entry.level
  if (!levelsKnown && spec.limited !== null) {
    return [
      { name: 'rule', text: ruleFact(outcome, identity, request) },
      { name: 'level', text: `${metadata.name}: its queues and limits could not be read` },
    ]
  }
  return [
    { name: 'rule', text: ruleFact(outcome, identity, request) },
    ...fileFact(outcome),
    { name: 'flow', text: flowFact(answer, request) },
    { name: 'level', text: levelFact(answer, basis) },
    { name: 'cost', text: costFact(answer) },
  ]
}

function ruleFact({ entry, ruleIndex }: SchemaMatch, identity: Identity, request: RequestAttributes): string {
  const { metadata, spec } = entry.schema
  if (ruleIndex === null) return 'none matches; catch-all takes what no FlowSchema takes'
  const rule = spec.rules[ruleIndex]
  const words = rule ? matchInWords(rule, identity, request) : ''
  const standIn = entry.builtIn ? ', a stand-in of the server for the missing object' : ''
  return `${metadata.name} rules[${ruleIndex}]: ${words}${standIn}`
}

/** Where the rule stands; nothing for objects that were not read from a file. */
function fileFact({ entry, ruleIndex }: SchemaMatch): Fact[] {
  const { file, line } = placeOf(entry.schema.origin, ruleIndex === null ? [] : ['spec', 'rules', ruleIndex])
  return line === undefined ? [] : [{ name: 'file', text: `${file}:${line}` }]
}

function flowFact({ outcome }: WhereisAnswer, request: RequestAttributes): string {
  if (outcome.outcome !== 'classified') return ''
  const { schema, level } = outcome.entry
  const { flow } = outcome
  if (level.spec.limited === null) return 'none: requests of this level never wait'
  const { type, queuing } = level.spec.limited.limitResponse
  if (queuing === null) return type === 'Reject' ? 'none: the level has no queues' : 'none'
  if (flow === null) return 'none: the level has a single queue'
  const hand = [...flow.hand].sort((a, b) => a - b).join(' ')
  const queues = `queues ${hand} of ${dealtQueues(level)?.queues}`
  return `${flowInWords(schema.spec.distinguisherMethod?.type, flow.distinguisher, request)}, ${queues}`
}

function flowInWords(method: string | undefined, distinguisher: string, request: RequestAttributes): string {
  if (method === 'ByUser') return `one flow per user: "${distinguisher}"`
  if (method !== 'ByNamespace') return 'all requests of the FlowSchema are one flow'
  return request.namespace === ''
    ? 'one flow per namespace: this one is of all requests without a namespace'
    : `one flow per namespace: "${distinguisher}"`
}

function levelFact({ outcome, seats }: WhereisAnswer, basis: SeatsBasis | null): string {
  if (outcome.outcome !== 'classified') return ''
  const { level } = outcome.entry
  const { name } = level.metadata
  if (level.spec.limited === null) return `${name}: exempt, no limit and no waiting`
  const then = level.spec.limited.limitResponse.type === 'Reject' ? 'then refuses (429)' : 'then queues'
  if (basis === null) return `${name}: seats not known without --server-seats, ${then}`
  if (seats === null) return `${name}: seats not known, ${then}`
  return `${name}: ${seatsInWords(seats, basis)}, ${then}`
}

function costFact({ work, unknowns }: WhereisAnswer): string {
  if (work === null) return unknowns.find(({ code }) => code === 'work')?.message ?? ''
  const { initialSeats, basis } = work
  const seats = initialSeats === 0 ? 'no seat' : initialSeats === 1 ? '1 seat' : `${initialSeats} seats`
  return `${seats}: ${basis}`
}

function seatsInWords({ nominal, reachable }: LevelSeats, { serverSeats, given }: SeatsBasis): string {
  const total = `${thousands(serverSeats)}${given ? '' : ' assumed'}`
  const borrowed = reachable > nominal ? `, ${thousands(reachable)} within reach by borrowing` : ''
  return `${thousands(nominal)} seats nominal of ${total}${borrowed}`
}

/** Facts as lines with their names in one column. */
export function factLines(list: readonly Fact[]): string {
  const width = Math.max(...list.map(({ name }) => name.length))
  return list.map(({ name, text }) => `  ${name.padEnd(width)}  ${escapeForTerminal(text)}\n`).join('')
}

/** Schemas tried in vain that a person sees unasked; of longer lists the ones that came near. */
const STEPS_SHOWN = 20

/** A line of the table of schemas that did not take the request. */
export interface PassedOver {
  step: TraceStep
  because: Reason
}

/** The schemas passed over before the match. @returns those to show, and those left out of a long list */
export function passedOver(steps: readonly TraceStep[], all: boolean): { shown: PassedOver[]; hidden: PassedOver[] } {
  const end = steps.findIndex(({ result }) => result === 'matched')
  const before = (end < 0 ? steps : steps.slice(0, end)).flatMap((step) =>
    step.because === null ? [] : [{ step, because: step.because }],
  )
  if (all || before.length <= STEPS_SHOWN) return { shown: before, hidden: [] }
  const shown = before.filter(cameNear).slice(0, STEPS_SHOWN)
  const isShown = new Set(shown)
  return { shown, hidden: before.filter((line) => !isShown.has(line)) }
}

/** The caller and the kind of request were right. */
function cameNear({ because }: PassedOver): boolean {
  return because.code !== 'subject' && because.code !== 'kind'
}

/** Says what the table of those passed over leaves out; '' for nothing. */
export function hiddenLine(shown: number, hidden: readonly PassedOver[]): string {
  if (hidden.length === 0) return ''
  const count = thousands(hidden.length)
  const which = hidden.some(cameNear) ? '' : ' whose subjects or kind of request are others'
  const what = shown === 0 ? `\n  passed over: ${count}, all of them FlowSchemas` : `  and ${count} more`
  return `${what}${which} (-o wide shows them)\n`
}

export const PASSED_OVER_COLUMNS: readonly Column<PassedOver>[] = [
  { header: 'PRECEDENCE', align: 'right', value: ({ step }) => step.schema.spec.matchingPrecedence },
  { header: 'PASSED OVER', value: ({ step }) => step.schema.metadata.name },
  { header: 'FIELD', wide: true, value: ({ because }) => because.field },
  { header: 'WHY NOT', cuts: true, value: ({ because }) => because.message },
]

/** What the answer does not know, as closing sentences. */
export function unknownLines(unknowns: readonly Unknown[]): string {
  const sentences = unknowns.filter(({ code }) => code !== 'work').flatMap(({ message }) => message.split(/(?<=\.) /))
  return sentences.length === 0 ? '' : `\n${sentences.map((text) => `  ${escapeForTerminal(text)}\n`).join('')}`
}

/** The version that the answer is for, and how it is known. */
export interface AnsweredVersion {
  text: string
  /** `assumed-newest` where nothing told the version. */
  basis: string
  newerThanKnown: boolean
}

/** What is not known of the server itself. */
export function sourceUnknowns({ text, basis, newerThanKnown }: AnsweredVersion): Unknown[] {
  if (newerThanKnown) {
    const message = `Kubernetes ${text} is newer than what is known here; the rules of the newest known version were used.`
    return [{ code: 'server-version', message }]
  }
  if (basis !== 'assumed-newest') return []
  return [{ code: 'server-version', message: `The server version was not given; the rules of ${text} were used.` }]
}
