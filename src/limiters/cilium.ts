/**
 * The limiter of the Cilium agent for calls to its own API on the node: defaults by release, and the settings as the agent
 * reads them, with its error texts. kube-apiserver has no part in it.
 * Source: cilium/cilium pkg/rate/api_limiter.go, daemon/restapi/api_limits.go, pkg/command/map_string.go
 */
import { nearest } from '../apf/suggest.ts'
import { goJsonStrings } from './go-json.ts'
import {
  goQuote,
  isParsed,
  type Parsed,
  parseGoBool,
  parseGoDuration,
  parseGoFloat,
  parseGoInteger,
} from './go-values.ts'

/** One limiter; durations in nanoseconds. 0 of a limit is none. */
export interface CiliumParameters {
  /** Calls each second; 0 is no limit, +Infinity never waits, below 0 nothing comes back. */
  rateLimit: number
  rateBurst: number
  parallelRequests: number
  minParallelRequests: number
  maxParallelRequests: number
  /** Durations of so many calls make the mean. */
  meanOver: number
  /** So many calls after the start of the agent pass without any limit. */
  skipInitial: number
  minWaitDuration: number
  /** 0 and less: callers wait as long as it takes. */
  maxWaitDuration: number
  estimatedProcessingDuration: number
  autoAdjust: boolean
  log: boolean
  delayedAdjustmentFactor: number
  maxAdjustmentFactor: number
}

export const CILIUM_GROUPS = [
  'endpoint-create',
  'endpoint-delete',
  'endpoint-get',
  'endpoint-patch',
  'endpoint-list',
] as const
export type CiliumGroup = (typeof CILIUM_GROUPS)[number]

/** Calls of each group. */
export const CILIUM_CALLS: Readonly<Record<CiliumGroup, string>> = {
  'endpoint-create': 'PUT /endpoint/{id}',
  'endpoint-delete': 'DELETE /endpoint, /endpoint/{id}',
  'endpoint-get': 'GET /endpoint/{id} and below',
  'endpoint-patch': 'PATCH /endpoint/{id} and below',
  'endpoint-list': 'GET /endpoint',
}

/** Whether calls of the agent belong to the group; others are accepted as well, and limit nothing. */
export function isCiliumGroup(name: string): name is CiliumGroup {
  return CILIUM_GROUPS.some((group) => group === name)
}

// What differs between releases

/** Rules of one minor of Cilium 1. */
export interface CiliumRules {
  minor: number
  /** A comma separates groups only where an equals sign follows; before, every one does. */
  groupsLookAhead: boolean
  /** Numbers may be hexadecimal, and errors call them just integers. */
  integersOfAnyBase: boolean
  /** Errors of the options have this before them. */
  errorPrefix: string
  createMaxWaitSeconds: number
  createMinParallel: number
  /** create, delete and patch write their calls to the log. */
  logs: boolean
  /** Deletions of endpoints that do not exist pass by the limiter. */
  absentDeletesBypass: boolean
  /** Helm has the value apiRateLimit. */
  helmValue: boolean
}

/** Oldest first; a row says what changed against the one before it. */
const CILIUM_CHANGES: readonly (Partial<CiliumRules> & { minor: number })[] = [
  { minor: 12, logs: false, integersOfAnyBase: false },
  { minor: 14, groupsLookAhead: true, errorPrefix: '', createMaxWaitSeconds: 60, createMinParallel: 2 },
  { minor: 15, helmValue: true },
  { minor: 18, absentDeletesBypass: true },
]

const OLDEST: CiliumRules = {
  minor: 9,
  groupsLookAhead: false,
  integersOfAnyBase: true,
  errorPrefix: 'unable to configure API rate limiting: ',
  createMaxWaitSeconds: 15,
  createMinParallel: 0,
  logs: true,
  absentDeletesBypass: false,
  helmValue: false,
}

export const OLDEST_CILIUM = OLDEST.minor
export const NEWEST_CILIUM = 20

/** @param minor  of Cilium 1; older and newer ones follow the nearest known */
export function ciliumRules(minor: number): CiliumRules {
  const changes = CILIUM_CHANGES.filter((row) => row.minor <= minor)
  return { ...Object.assign({}, OLDEST, ...changes), minor }
}

const MILLISECOND = 1e6
const SECOND = 1e9

const NOTHING_SET: CiliumParameters = {
  rateLimit: 0,
  rateBurst: 0,
  parallelRequests: 0,
  minParallelRequests: 0,
  maxParallelRequests: 0,
  meanOver: 0,
  skipInitial: 0,
  minWaitDuration: 0,
  maxWaitDuration: 0,
  estimatedProcessingDuration: 0,
  autoAdjust: false,
  log: false,
  delayedAdjustmentFactor: 0,
  maxAdjustmentFactor: 0,
}

/** As written in the source of the release, before zeros are replaced. */
function builtIn(group: CiliumGroup, rules: CiliumRules): CiliumParameters {
  const adjusted = { ...NOTHING_SET, autoAdjust: true }
  switch (group) {
    case 'endpoint-create':
      return {
        ...adjusted,
        estimatedProcessingDuration: 2 * SECOND,
        rateLimit: 0.5,
        rateBurst: 4,
        parallelRequests: 4,
        minParallelRequests: rules.createMinParallel,
        skipInitial: 4,
        maxWaitDuration: rules.createMaxWaitSeconds * SECOND,
        log: rules.logs,
      }
    case 'endpoint-delete':
      return {
        ...adjusted,
        estimatedProcessingDuration: 200 * MILLISECOND,
        parallelRequests: 4,
        minParallelRequests: 4,
        log: rules.logs,
      }
    case 'endpoint-get':
      return {
        ...adjusted,
        estimatedProcessingDuration: 200 * MILLISECOND,
        rateLimit: 4,
        rateBurst: 4,
        parallelRequests: 4,
        minParallelRequests: 2,
        skipInitial: 4,
        maxWaitDuration: 10 * SECOND,
      }
    case 'endpoint-patch':
      return {
        ...adjusted,
        estimatedProcessingDuration: SECOND,
        rateLimit: 0.5,
        rateBurst: 4,
        parallelRequests: 4,
        skipInitial: 4,
        maxWaitDuration: 15 * SECOND,
        log: rules.logs,
      }
    case 'endpoint-list':
      return {
        ...adjusted,
        estimatedProcessingDuration: 300 * MILLISECOND,
        rateLimit: 1,
        rateBurst: 4,
        parallelRequests: 2,
        minParallelRequests: 2,
      }
  }
}

/** What a limiter makes of its parameters: five of them cannot be zero. */
export function normalised(parameters: CiliumParameters): CiliumParameters {
  // NaN is no zero, and stays.
  const orElse = (value: number, otherwise: number) => (value === 0 ? otherwise : value)
  return {
    ...parameters,
    meanOver: orElse(parameters.meanOver, 10),
    minParallelRequests: orElse(parameters.minParallelRequests, 1),
    rateBurst: orElse(parameters.rateBurst, 1),
    delayedAdjustmentFactor: orElse(parameters.delayedAdjustmentFactor, 0.5),
    maxAdjustmentFactor: orElse(parameters.maxAdjustmentFactor, 100),
  }
}

/** The five groups of a release without any setting. */
export function ciliumDefaults(rules: CiliumRules): Map<string, CiliumParameters> {
  return new Map(CILIUM_GROUPS.map((group) => [group, normalised(builtIn(group, rules))]))
}

// Settings

export interface CiliumSettings {
  /** Of all groups: those of the release, then others that were named. */
  groups: Map<string, CiliumParameters>
  /** Text of each group that was set. */
  given: Map<string, string>
}

/** The agent ends with `error`. `panics`: it does not even print that, but a stack trace. */
export type CiliumOutcome = CiliumSettings | { error: string; panics: boolean }

/** Whether the agent refuses to start. */
export function isCiliumError(outcome: CiliumOutcome): outcome is { error: string; panics: boolean } {
  return 'error' in outcome
}

/** Reads the value of --api-rate-limit, which is that of the key api-rate-limit of the ConfigMap as well. */
export function readApiRateLimit(text: string, rules: CiliumRules): CiliumOutcome {
  const given = groupTexts(text, rules)
  if (!isParsed(given)) return { error: given.error, panics: false }
  const groups = ciliumDefaults(rules)
  const names = [...given.value.keys()]
  for (const name of [...names.filter(isCiliumGroup), ...names.filter((each) => !isCiliumGroup(each))]) {
    const options = given.value.get(name) ?? ''
    const base = isCiliumGroup(name) ? builtIn(name, rules) : NOTHING_SET
    const merged = mergedOptions(base, options, rules)
    if (!isParsed(merged)) {
      if (merged.panics) return { error: merged.error, panics: true }
      const own = isCiliumGroup(name) ? '' : `unable to parse rate limiting configuration ${name}=${options}: `
      return { error: `${rules.errorPrefix}${own}${merged.error}`, panics: false }
    }
    groups.set(name, normalised(merged.value))
  }
  return { groups, given: given.value }
}

/** The outer layer: which text belongs to which group. */
function groupTexts(text: string, rules: CiliumRules): Parsed<Map<string, string>> {
  if (text === '') return { value: new Map() }
  const json = goJsonStrings(text)
  if (isParsed(json)) return json
  if (!json.isSyntax || /^\s*[{[]/.test(text)) return { error: json.error }
  if (!isKeyValueText(text, rules)) return { error: notKeyValue(text) }
  const groups = new Map<string, string>()
  for (const pair of rules.groupsLookAhead ? splitPairs(text) : text.split(',')) {
    const [key, value, ...more] = pair.split('=')
    if (key === undefined || value === undefined || more.length > 0) {
      return { error: `'${pair}' in ${notKeyValue(text)}` }
    }
    groups.set(key, value)
  }
  return { value: groups }
}

function notKeyValue(text: string): string {
  return `'${text}' is not formatted as key=value,key1=value1`
}

/** What stands between two equals signs: the value of one pair and the key of the next. */
const KEY = /^[\w\-:;./@]+$/
const VALUE_AND_KEY = /^(?:[\w\-:;,./@][\w\-:;,./@ ]*[\w\-:;,./@]|[\w\-:;./@]?),[\w\-:;./@]+$/
const LAST_VALUE = /^(?:[\w\-:;,./@][\w\-:;,./@ ]*)?[\w\-:;./@]$/
const OLD_TEXT = /^[\w\-:./]+=[\w\-:./]+(?:,[\w\-:./]+=[\w\-:./]+)*$/

function isKeyValueText(text: string, rules: CiliumRules): boolean {
  if (!rules.groupsLookAhead) return OLD_TEXT.test(text)
  const [key = '', ...parts] = text.split('=')
  const last = parts.pop()
  return last !== undefined && KEY.test(key) && parts.every((part) => VALUE_AND_KEY.test(part)) && LAST_VALUE.test(last)
}

/** A comma separates pairs if an equals sign stands before the next comma; a single comma always does. */
function splitPairs(text: string): string[] {
  if (text.split('=').length === 2) return [text]
  const pieces = text.split(',')
  if (pieces.length === 2) return pieces
  const pairs: string[] = []
  for (const piece of pieces) {
    const last = pairs.pop()
    if (last === undefined) pairs.push(piece)
    else if (piece.includes('=')) pairs.push(last, piece)
    else pairs.push(`${last},${piece}`)
  }
  return pairs
}

type Merged = { value: CiliumParameters } | { error: string; panics: boolean }

/** The inner layer: options of one group, over what it has. */
function mergedOptions(base: CiliumParameters, text: string, rules: CiliumRules): Merged {
  const parameters = { ...base }
  for (const token of text.split(',')) {
    if (token === '') continue
    const colon = token.indexOf(':')
    if (colon < 0) {
      const form = 'must in the form name=option:value[,option:value]'
      return { error: `unable to parse rate limit option ${goQuote(token)}, ${form}`, panics: false }
    }
    const [name, value] = [token.slice(0, colon), token.slice(colon + 1)]
    if (name.toLowerCase() === 'rate-limit' && /^[^/]*\/$/.test(value) && isParsed(parseGoFloat(value.slice(0, -1)))) {
      return { error: RATE_PANIC, panics: true }
    }
    const fault = setOption(parameters, name, value, rules)
    if (fault !== null) {
      return {
        error: `unable to parse rate limit option ${goQuote(name)} with value ${goQuote(value)}: ${fault}`,
        panics: false,
      }
    }
  }
  return { value: parameters }
}

/** What an empty interval, as in `1/`, does to the agent. */
export const RATE_PANIC = 'runtime error: index out of range [0] with length 0'

type OptionKind = 'rate' | 'integer' | 'duration' | 'bool' | 'float'

interface CiliumOption {
  kind: OptionKind
  set(parameters: CiliumParameters, value: number | boolean): void
}

const number =
  (
    key: {
      [Key in keyof CiliumParameters]: CiliumParameters[Key] extends number ? Key : never
    }[keyof CiliumParameters],
  ) =>
  (parameters: CiliumParameters, value: number | boolean) => {
    parameters[key] = Number(value)
  }

const OPTIONS: Readonly<Record<string, CiliumOption>> = {
  'rate-limit': { kind: 'rate', set: number('rateLimit') },
  'rate-burst': { kind: 'integer', set: number('rateBurst') },
  'parallel-requests': { kind: 'integer', set: number('parallelRequests') },
  'min-parallel-requests': { kind: 'integer', set: number('minParallelRequests') },
  'max-parallel-requests': { kind: 'integer', set: number('maxParallelRequests') },
  'mean-over': { kind: 'integer', set: number('meanOver') },
  'skip-initial': { kind: 'integer', set: number('skipInitial') },
  'min-wait-duration': { kind: 'duration', set: number('minWaitDuration') },
  'max-wait-duration': { kind: 'duration', set: number('maxWaitDuration') },
  'estimated-processing-duration': { kind: 'duration', set: number('estimatedProcessingDuration') },
  'auto-adjust': {
    kind: 'bool',
    set: (parameters, value) => {
      parameters.autoAdjust = value === true
    },
  },
  log: {
    kind: 'bool',
    set: (parameters, value) => {
      parameters.log = value === true
    },
  },
  'delayed-adjustment-factor': { kind: 'float', set: number('delayedAdjustmentFactor') },
  'max-adjustment-factor': { kind: 'float', set: number('maxAdjustmentFactor') },
}

export const CILIUM_OPTIONS: readonly string[] = Object.keys(OPTIONS)

/** @returns what is wrong with it, or null */
function setOption(parameters: CiliumParameters, name: string, value: string, rules: CiliumRules): string | null {
  const lower = name.toLowerCase()
  const option = Object.hasOwn(OPTIONS, lower) ? OPTIONS[lower] : undefined
  if (option === undefined) return `unknown rate limiting option ${goQuote(name)}`
  const parsed = readOption(option.kind, value, rules)
  if (!isParsed(parsed)) return parsed.error
  option.set(parameters, parsed.value)
  return null
}

function readOption(kind: OptionKind, value: string, rules: CiliumRules): Parsed<number | boolean> {
  const named = (what: string, parsed: Parsed<number | boolean>): Parsed<number | boolean> =>
    isParsed(parsed) ? parsed : { error: `unable to parse ${what} ${goQuote(value)}: ${parsed.error}` }
  switch (kind) {
    case 'rate':
      return named('rate', parseRate(value))
    case 'integer':
      return named(rules.integersOfAnyBase ? 'integer' : 'positive integer', nonNegative(value, rules))
    case 'duration':
      return named('duration', parseGoDuration(value))
    case 'bool':
      return named('bool', parseGoBool(value))
    case 'float':
      return named('float', parseGoFloat(value))
  }
}

function nonNegative(value: string, rules: CiliumRules): Parsed<number> {
  if (rules.integersOfAnyBase && /^0[xX][0-9a-fA-F]+$|^0[bB][01]+$|^0[oO][0-7]+$/.test(value)) {
    return { value: Number(value) }
  }
  const parsed = parseGoInteger(value)
  return isParsed(parsed) && parsed.value < 0 ? { error: 'negative value' } : parsed
}

/**
 * A number of calls and an interval: `10/m`, `1/0.5s`. Calls each second, +Infinity where the interval is zero.
 * An empty interval is no value of this function: the agent panics.
 */
export function parseRate(text: string): Parsed<number> {
  const slash = text.indexOf('/')
  if (slash < 0) return { error: 'not in the form number/interval' }
  const [amount, interval] = [text.slice(0, slash), text.slice(slash + 1)]
  const calls = parseGoFloat(amount)
  if (!isParsed(calls)) return { error: `unable to parse float ${goQuote(amount)}: ${calls.error}` }
  if (isParsed(parseGoInteger(interval))) {
    return { error: `interval ${goQuote(interval)} must contain duration suffix` }
  }
  const whole = /^[0-9]/.test(interval) ? interval : `1${interval}`
  const duration = parseGoDuration(whole)
  if (!isParsed(duration)) return { error: `unable to parse duration ${goQuote(whole)}: ${duration.error}` }
  return { value: calls.value / secondsOf(duration.value) }
}

/** As Go divides: whole seconds and the rest apart. */
export function secondsOf(nanoseconds: number): number {
  return Math.trunc(nanoseconds / SECOND) + (nanoseconds % SECOND) / SECOND
}

/** The group that was probably meant; null where none is near. */
export function meantGroup(name: string): CiliumGroup | null {
  const near = nearest(name, CILIUM_GROUPS)
  return near !== null && isCiliumGroup(near) ? near : null
}
