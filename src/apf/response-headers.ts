/**
 * The response headers in which a server names the schema and level that a request met. HTTP/1.1 and HTTP/2 spell them in
 * different case. Through an aggregated API a client sees two of each: the first is that of kube-apiserver.
 * Source: kubernetes/apiserver pkg/server/filters/priority-and-fairness.go.
 */
import type { VersionRules } from './versions.ts'

export const FLOW_SCHEMA_UID_HEADER = 'x-kubernetes-pf-flowschema-uid'
export const PRIORITY_LEVEL_UID_HEADER = 'x-kubernetes-pf-prioritylevel-uid'

/** What became of a request, as far as the headers depend on it. */
export type Outcome =
  /** Executed on a Limited level, with whatever status: 200, 403 of authorization, 404, 500. */
  | 'served'
  | 'served-exempt'
  /** 429 of APF: queue full, time-out in the queue, busy Reject level. */
  | 'rejected'
  | 'watch'
  /** 504 of the time-out filter. */
  | 'timed-out'
  /** Long-running but no watch: exec, attach, portforward, proxy, pod logs. */
  | 'long-running'
  /** Failed or answered before fairness: 401, impersonation, a target that cannot be parsed, shutdown, CORS preflight. */
  | 'ended-before'
  /** Fairness is off, or the 429 is that of the plain limiter. */
  | 'fairness-off'

export type HeaderPresence = 'both' | 'none' | 'either'

/**
 * Whether the two headers are set; always both or none. `either`: it depends on when the time-out struck. A stand-in for a
 * missing mandatory object leaves the value of its header empty.
 */
export function headerPresence(outcome: Outcome, rules: VersionRules): HeaderPresence {
  switch (outcome) {
    case 'served':
      return 'both'
    case 'served-exempt':
      return rules.headersOnExempt ? 'both' : 'none'
    case 'rejected':
      return rules.headersOnRejections ? 'both' : 'none'
    case 'watch':
      return rules.watchBypassesFairness ? 'none' : 'both'
    case 'timed-out':
      return rules.headersOnTimeout ? 'either' : 'none'
    case 'long-running':
    case 'ended-before':
    case 'fairness-off':
      return 'none'
  }
}
