/**
 * How long a request may wait in a queue, and how many of one flow may wait.
 * Source: kubernetes/apiserver pkg/server/filters/priority-and-fairness.go (getRequestWaitContext), pkg/server/config.go
 */
import type { QueuingConfiguration } from './objects.ts'
import type { VersionRules } from './versions.ts'

/** The flag --request-timeout unless given. */
export const DEFAULT_REQUEST_TIMEOUT_SECONDS = 60

/** A request may wait for this part of its time. */
const WAITING_PART = 1 / 4
const LONGEST_WAIT_SECONDS = 60

export interface WaitLimit {
  seconds: number
  /**
   * When the time begins: as the server receives the request, so that authentication and the like count, or as it joins its
   * queue. In the latter case the limit is looked at only when another request joins the same queue.
   */
  from: 'received' | 'queued'
}

export interface TimedRequest {
  /** Parameter `timeout` of the URL; null without one. */
  timeoutSeconds: number | null
  /** A watch has no time limit, whatever its parameters say. */
  isWatch: boolean
}

/** @param requestTimeoutSeconds  flag --request-timeout */
export function waitLimit(
  { timeoutSeconds, isWatch }: TimedRequest,
  requestTimeoutSeconds: number,
  rules: Pick<VersionRules, 'waitLimitPerRequest'>,
): WaitLimit {
  if (!rules.waitLimitPerRequest) return { seconds: requestTimeoutSeconds * WAITING_PART, from: 'queued' }
  // 0 stands for all the time that the server gives.
  const asked = isWatch || !timeoutSeconds ? requestTimeoutSeconds : timeoutSeconds
  const allowed = Math.min(asked, requestTimeoutSeconds)
  return { seconds: Math.min(allowed * WAITING_PART, LONGEST_WAIT_SECONDS), from: 'received' }
}

/** The most requests of one flow that can wait, while all seats are taken and its queues are its own. */
export function mostWaitingOfFlow({ handSize, queueLengthLimit }: QueuingConfiguration): number {
  return handSize * queueLengthLimit
}
