/** What to know of a configuration of EventRateLimit that the server accepts, and what its fields mean. */
import { EVENT_RATE_LIMIT, type EventLimit, type LimitType } from './event-rate-limit.ts'
import type { IgnoredField } from './event-rate-limit-file.ts'
import type { Advice, SettingText } from './settings.ts'

/** What a bucket is kept for. */
export const KEY_TEXTS: Readonly<Record<LimitType, string>> = {
  Server: 'one bucket for all events',
  Namespace: 'namespace; cluster-scoped objects: default',
  User: 'user, after impersonation; nobody is exempt',
  SourceAndObject: 'source, and everything that names the object',
}

export const NOT_COVERED: readonly string[] = [
  'events written through events.k8s.io, as by kube-scheduler and others',
  'deletions, dry runs, and objects of any other kind',
  'events that are invalid: they are refused before, and cost no token',
]

/** @param ignored  fields that the server passes over */
export function eventAdvice(limits: readonly EventLimit[], ignored: readonly IgnoredField[]): Advice[] {
  return [...ignored.map(ignoredAdvice), ...drainAdvice(limits), ...limits.flatMap(burstAdvice), ...cacheAdvice(limits)]
}

function ignoredAdvice({ field, meant }: IgnoredField): Advice {
  return {
    severity: 'warning',
    setting: field,
    message: `the server passes over ${field} in silence`,
    fix: meant === null ? 'remove it' : `write ${meant}: names of fields are case-sensitive`,
  }
}

/** Every limit is charged, also where another one refuses. */
function drainAdvice(limits: readonly EventLimit[]): Advice[] {
  const server = limits.findIndex(({ type }) => type === 'Server')
  if (server < 0 || limits.length < 2) return []
  return [
    {
      severity: 'warning',
      setting: `limits[${server}]`,
      message: 'what a narrower limit refuses still takes a token of the Server limit: one flood drains it for all',
      fix: 'size the Server limit for the flood, or leave it out; the order of the entries changes only the text',
    },
  ]
}

function burstAdvice({ qps, burst }: EventLimit, index: number): Advice[] {
  if (burst >= qps) return []
  const message = `a burst of ${burst} below qps ${qps} refuses events that come at once, though the rate has room`
  return [{ severity: 'info', setting: `limits[${index}].burst`, message }]
}

function cacheAdvice(limits: readonly EventLimit[]): Advice[] {
  const cached = limits.flatMap(({ cacheSize }, index) => (cacheSize === null ? [] : [`limits[${index}]`]))
  if (cached.length === 0) return []
  const message = 'with more keys in use than buckets it stops limiting: a dropped bucket comes back full'
  return [{ severity: 'info', setting: cached.join(', '), message }]
}

export const EVENT_SETTINGS: readonly SettingText[] = [
  {
    name: '--enable-admission-plugins=EventRateLimit',
    limiter: EVENT_RATE_LIMIT,
    unless: 'off',
    does: 'Enables the plugin, which answers 429 to core Events beyond its limits. It needs a configuration.',
    beware:
      'Enabled without a configuration the server does not start; configured without being enabled nothing happens.',
  },
  {
    name: '--admission-control-config-file',
    limiter: EVENT_RATE_LIMIT,
    unless: 'none',
    does: 'An AdmissionConfiguration (apiserver.config.k8s.io/v1) that names the file of the plugin, or embeds its configuration.',
    beware: 'This file is decoded strictly, that of the plugin is not. An embedded configuration wins over a path.',
  },
  {
    name: 'limits[].type',
    limiter: EVENT_RATE_LIMIT,
    unless: 'required',
    does: 'What gets a bucket of its own: Server, Namespace, User or SourceAndObject, in exactly that spelling.',
    beware: 'Entries of the same type are independent of each other; all entries are charged for every event.',
  },
  {
    name: 'limits[].qps',
    limiter: EVENT_RATE_LIMIT,
    unless: 'required, above 0',
    does: 'Events each second that come back to one bucket. A whole number.',
  },
  {
    name: 'limits[].burst',
    limiter: EVENT_RATE_LIMIT,
    unless: 'required, above 0',
    does: 'Events that one bucket holds; it is full at first.',
  },
  {
    name: 'limits[].cacheSize',
    limiter: EVENT_RATE_LIMIT,
    unless: '4096, also for 0',
    does: 'Buckets that are kept, the least recently used gives way. Ignored for Server.',
    beware: 'A bucket that was dropped comes back full.',
  },
]
