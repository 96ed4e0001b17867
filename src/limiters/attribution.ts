/** What is said of one piece of evidence of throttling: which layer did it, how sure that is, and from which values. */

/** `certain`: no other layer says so; `high`: no other is plausible; `low`: there are several, or the trace is indirect. */
export type Confidence = 'certain' | 'high' | 'low'

/** Every layer between a client and etcd that delays or refuses, and what stands for several where evidence ends. */
export const LAYERS = [
  'client-rate-limiter',
  'client-retry',
  'apf',
  'max-inflight',
  'apf-or-max-inflight',
  'apf-or-aggregated',
  'server-429-unattributed',
  'event-rate-limit',
  'event-recorder',
  'eviction-pdb',
  'watch-cache',
  'server-shutdown',
  'server-startup',
  'request-timeout',
  'admission-webhook',
  'aggregated-api',
  'etcd',
  'cilium',
  'kubelet',
  'registry',
  'external-proxy',
  'cloud-api',
  'http2',
  'not-throttling',
  'unknown',
] as const

export type Layer = (typeof LAYERS)[number]

export type FieldValue = string | number | boolean | null | FieldValue[] | { [key: string]: FieldValue }

/** Values read from the evidence, under names that are the same for all layers. Durations in seconds. */
export type Fields = Record<string, FieldValue>

export interface Attribution {
  layer: Layer
  reason: string
  confidence: Confidence
  fields: Fields
}

/** A finding; fields that are undefined are left out. */
export function attribution(
  layer: Layer,
  reason: string,
  confidence: Confidence,
  fields: Record<string, FieldValue | undefined> = {},
): Attribution {
  return { layer, reason, confidence, fields: known(fields) }
}

/** Leaves out what the evidence does not tell; null stays, it says that something is absent. */
export function known(fields: Record<string, FieldValue | undefined>): Fields {
  const kept: Fields = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value
  return kept
}

/** The same finding with more fields around those of its own. */
export function withFields(
  found: Attribution,
  fields: Record<string, FieldValue | undefined>,
  confidence = found.confidence,
): Attribution {
  return { ...found, confidence, fields: { ...known(fields), ...found.fields } }
}
