/**
 * Which limiter is active on one API server process, and how that is known.
 * Source: kubernetes/apiserver pkg/server/config.go, pkg/server/filters/{priority-and-fairness,maxinflight}.go.
 */

/** `NotAPF`: MaxInFlight or Unlimited, the evidence cannot tell which. */
export type ServerMode = 'APF' | 'MaxInFlight' | 'Unlimited' | 'NotAPF' | 'Unknown'

/** `weak`: may be due to something else, such as a proxy that strips headers; also of what people wrongly take for evidence. */
export type Strength = 'strong' | 'weak'

export interface Evidence {
  /** What was seen, in words, with the place: `/livez lists poststarthook/max-in-flight-filter`. */
  what: string
  says: ServerMode
  strength: Strength
}

export interface ModeVerdict {
  mode: ServerMode
  /** Strongest first. */
  evidence: Evidence[]
  /** Strong evidence that cannot be true of one process, in words; then the mode is Unknown. */
  contradiction: string | null
}
