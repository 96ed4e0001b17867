/** Answers to request lines, one line of JSON each: the batch form of `whereis`. */
import { callerCache, type KnownCaller } from '../apf/caller-cache.ts'
import { type Candidates, compileClassifier } from '../apf/compiled-classifier.ts'
import { flowOf, formatHash } from '../apf/flow.ts'
import { bypassesFairness } from '../apf/long-running.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../apf/order.ts'
import type { Identity, RequestAttributes } from '../apf/request.ts'
import { isRefused } from '../apf/request-info.ts'
import { isMalformed, parseRequestLine } from '../apf/request-line.ts'
import type { VersionRules } from '../apf/versions.ts'

export interface AnswerLine {
  /** JSON without a line end, keys in the order of the contract. */
  text: string
  malformed: boolean
}

const NOT_CLASSIFIED = '"flowSchema":null,"priorityLevel":null,"distinguisher":"","hash":null,"hand":null'
const BYPASS = `"outcome":"bypass",${NOT_CLASSIFIED}}`

/** Writes a value as JSON on one line. */
export type WriteJson = (value: unknown) => string

/**
 * Makes the function that answers lines over one configuration. The memory it holds is bounded whatever it is asked.
 *
 * @param json  JSON.stringify, or what else writes the same values
 * @returns (text of a line, its number) → its answer
 */
export function lineAnswerer(
  configuration: EffectiveConfiguration,
  rules: VersionRules,
  json: WriteJson,
): (text: string, lineNumber: number) => AnswerLine {
  const classifier = compileClassifier(configuration)
  const caller = callerCache<Caller>((name, groups, { groupsGiven, sameName }) => {
    const { resources, paths } = classifier.candidates({ name, groups })
    return { name, groups, groupsGiven, sameName, resources, paths, landing: null, answer: '', otherAnswers: null }
  })
  const answer = (caller: Caller, request: RequestAttributes): string => {
    if (bypassesFairness(request, rules)) return BYPASS
    const { entry } = classifier.findAmong(caller, request)
    if (entry === caller.landing) return caller.answer
    if (entry.schema.spec.distinguisherMethod?.type === 'ByNamespace') return answerOf(entry, caller, request, json)
    return learnAnswer(entry, caller, request, json)
  }
  return (text, lineNumber) => {
    const line = parseRequestLine(text, caller)
    if (isMalformed(line)) return malformedLine(line.id, lineNumber, line.malformed, json)
    const start = `{"id":${idText(line.id, json)},`
    if (isRefused(line.request)) {
      const error = `"error":${json(line.request.refused)}`
      return { text: `${start}"outcome":"error",${NOT_CLASSIFIED},${error}}`, malformed: false }
    }
    return { text: start + answer(line.identity, line.request), malformed: false }
  }
}

/** Most ids are whole numbers, which need no escaping. */
function idText(id: unknown, json: WriteJson): string {
  return typeof id === 'number' && Number.isInteger(id) ? String(id) : json(id)
}

/** The answer to a line that is no request. */
export function malformedLine(id: unknown, line: number, error: string, json: WriteJson): AnswerLine {
  return { text: json({ id, line, error }), malformed: true }
}

/**
 * A caller with the answers behind the id that depend on the schema alone, since hashing and dealing cost more than all the
 * rest. Nearly all requests of a caller land in one schema.
 */
interface Caller extends Identity, Candidates, KnownCaller<Caller> {
  landing: EffectiveSchema | null
  answer: string
  otherAnswers: Map<EffectiveSchema, string> | null
}

function learnAnswer(entry: EffectiveSchema, caller: Caller, request: RequestAttributes, json: WriteJson): string {
  const known = caller.otherAnswers?.get(entry)
  if (known !== undefined) return known
  const answer = answerOf(entry, caller, request, json)
  if (caller.landing === null) {
    caller.landing = entry
    caller.answer = answer
  } else {
    caller.otherAnswers ??= new Map()
    caller.otherAnswers.set(entry, answer)
  }
  return answer
}

/** The answer behind the id. */
function answerOf(
  { schema, level }: EffectiveSchema,
  identity: Identity,
  request: RequestAttributes,
  json: WriteJson,
): string {
  const flow = flowOf(schema, level, identity, request)
  const answer = {
    outcome: 'classified',
    flowSchema: schema.metadata.name,
    priorityLevel: level.metadata.name,
    distinguisher: flow === null ? '' : flow.distinguisher.toWellFormed(),
    hash: flow === null ? null : formatHash(flow.hash),
    hand: flow === null ? null : flow.hand,
  }
  return json(answer).slice(1)
}
