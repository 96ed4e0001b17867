/**
 * The admission plugin EventRateLimit of kube-apiserver: its configuration, what it refuses to start with, and what it
 * makes of a stream of events.
 * Source: kubernetes/kubernetes plugin/pkg/admission/eventratelimit
 */
import { TokenBucket } from './token-bucket.ts'

export const LIMIT_TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const
export type LimitType = (typeof LIMIT_TYPES)[number]

export const EVENT_RATE_LIMIT = 'EventRateLimit'
const DEFAULT_CACHE_SIZE = 4096

/** One entry of `limits`, as decoded: absent fields are zero, and no field is checked yet. */
export interface LimitEntry {
  type: string
  qps: number
  burst: number
  cacheSize: number
}

/** A valid entry in force. */
export interface EventLimit {
  type: LimitType
  qps: number
  burst: number
  /** Buckets that are kept; null for the only one of `Server`. */
  cacheSize: number | null
}

/** Why a configuration is refused; `field` is '' where it could not be decoded. */
export interface ConfigurationError {
  field: string
  /** As the server prints it, without what it says before. */
  text: string
}

export interface ConfigurationRules {
  /** How a list that is not there is printed. */
  absentList: string
}

/** @param minor  of Kubernetes */
export function configurationRules(minor: number): ConfigurationRules {
  return { absentList: minor < FIRST_WITH_JSON_QUOTES ? '[]eventratelimit.Limit(nil)' : 'null' }
}

/** 1.31 printed it as Go does, 1.34 as JSON; in between it is not known. */
const FIRST_WITH_JSON_QUOTES = 34

/**
 * The server's validation, in its order. The names of the types stand in random order in the server's own text.
 * @param limits  null: there is no such list
 */
export function validateLimits(limits: readonly LimitEntry[] | null, rules: ConfigurationRules): ConfigurationError[] {
  if (limits === null || limits.length === 0) {
    const value = limits === null ? rules.absentList : '[]'
    return [{ field: 'limits', text: `limits: Invalid value: ${value}: must not be empty` }]
  }
  return limits.flatMap(({ type, qps, burst, cacheSize }, index) => {
    const errors: ConfigurationError[] = []
    const at = (name: string) => `limits[${index}].${name}`
    const invalid = (name: string, value: number, why: string) => {
      errors.push({ field: at(name), text: `${at(name)}: Invalid value: ${value}: ${why}` })
    }
    if (!isLimitType(type)) {
      const supported = LIMIT_TYPES.map((name) => `"${name}"`).join(', ')
      const text = `${at('type')}: Unsupported value: ${JSON.stringify(type)}: supported values: ${supported}`
      errors.push({ field: at('type'), text })
    }
    if (burst <= 0) invalid('burst', burst, 'must be positive')
    if (qps <= 0) invalid('qps', qps, 'must be positive')
    if (type !== 'Server' && cacheSize < 0) invalid('cacheSize', cacheSize, 'must not be negative')
    return errors
  })
}

function isLimitType(type: string): type is LimitType {
  return LIMIT_TYPES.some((known) => known === type)
}

/** Several errors as the server prints them together; equal ones stand once. */
export function aggregated(texts: readonly string[]): string {
  const distinct = [...new Set(texts)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/** The whole message with which the server ends. */
export function startError(errors: readonly ConfigurationError[]): string {
  return `couldn't init admission plugin "${EVENT_RATE_LIMIT}": ${aggregated(errors.map(({ text }) => text))}`
}

/** Valid entries with what they leave out. */
export function limitsInForce(limits: readonly LimitEntry[]): EventLimit[] {
  return limits.flatMap(({ type, qps, burst, cacheSize }) =>
    isLimitType(type)
      ? [{ type, qps, burst, cacheSize: type === 'Server' ? null : cacheSize || DEFAULT_CACHE_SIZE }]
      : [],
  )
}

// What is charged

/** A write that might be one of an event. Absent values are empty. */
export interface EventWrite {
  /** Nanoseconds on any clock; never less than of the write before. */
  at: number
  group: string
  kind: string
  /** Of admission: PATCH is UPDATE. */
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  dryRun: boolean
  namespace: string
  /** After impersonation. */
  user: string
  source: { component: string; host: string }
  involvedObject: { kind: string; namespace: string; name: string; uid: string; apiVersion: string }
}

/** Events of group events.k8s.io, deletions and dry runs pass without touching a bucket. */
function isCharged({ group, kind, operation, dryRun }: EventWrite): boolean {
  return group === '' && kind === 'Event' && (operation === 'CREATE' || operation === 'UPDATE') && !dryRun
}

/** Of SourceAndObject without a separator, so that different sources and objects may share a bucket. */
function bucketKey(type: LimitType, write: EventWrite): string {
  switch (type) {
    case 'Server':
      return ''
    case 'Namespace':
      return write.namespace
    case 'User':
      return write.user
    case 'SourceAndObject': {
      const { source, involvedObject: object } = write
      const parts = [source.component, source.host, object.kind, object.namespace, object.name, object.uid]
      return [...parts, object.apiVersion].join('')
    }
  }
}

// What becomes of it

export interface LimitVerdict {
  /** Which entry of `limits`, from 0. */
  limit: number
  type: LimitType
  key: string
  allowed: boolean
  tokensAfter: number
  /** Its bucket made room for this one; null: none had to. */
  evicted: string | null
}

export interface WriteVerdict {
  charged: boolean
  accepted: boolean
  /** In the order of the file; empty where nothing is charged. */
  perLimit: LimitVerdict[]
  /** Of the answer 429; null where it is accepted. */
  message: string | null
}

/** The plugin as the server starts it: every bucket is full. */
export class EventRateLimiter {
  readonly #enforcers: Enforcer[]

  constructor(limits: readonly EventLimit[]) {
    this.#enforcers = limits.map((limit, index) => new Enforcer(limit, index))
  }

  /** Every limit is asked, and charged if it allows the write, whatever the others say. */
  admit(write: EventWrite): WriteVerdict {
    if (!isCharged(write)) return { charged: false, accepted: true, perLimit: [], message: null }
    const perLimit = this.#enforcers.map((enforcer) => enforcer.ask(write))
    const refusals = perLimit
      .filter(({ allowed }) => !allowed)
      .map(({ type, key }) => `limit reached on type ${type} for key ${key}`)
    if (refusals.length === 0) return { charged: true, accepted: true, perLimit, message: null }
    return { charged: true, accepted: false, perLimit, message: `Too many requests: ${aggregated(refusals)}` }
  }
}

/** One limit with its buckets, of which the least recently used gives way. */
class Enforcer {
  readonly #limit: EventLimit
  readonly #index: number
  /** The least recently used first. */
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: EventLimit, index: number) {
    this.#limit = limit
    this.#index = index
  }

  ask(write: EventWrite): LimitVerdict {
    const { type, qps, burst } = this.#limit
    const key = bucketKey(type, write)
    const known = this.#buckets.get(key)
    const bucket = known ?? new TokenBucket(Math.fround(qps), burst)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    const evicted = known === undefined ? this.#makeRoom() : null
    const allowed = bucket.allow(write.at)
    return { limit: this.#index, type, key, allowed, tokensAfter: bucket.tokensAt(write.at), evicted }
  }

  #makeRoom(): string | null {
    const { cacheSize } = this.#limit
    if (cacheSize === null || this.#buckets.size <= cacheSize) return null
    const [oldest] = this.#buckets.keys()
    if (oldest === undefined) return null
    this.#buckets.delete(oldest)
    return oldest
  }
}
