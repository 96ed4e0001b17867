/**
 * How long the watch cache tells clients to stay away while it cannot answer.
 * Source: kubernetes/apiserver pkg/storage/cacher (ready.go, from 1.33); before that it is always 1.
 */

const GROWTH_PER_SECOND = 0.06
const LONGEST_SECONDS = 30

/**
 * @param downSeconds  since the cache has last changed its state
 * @returns value of Retry-After in seconds, 1 to 30
 */
export function watchCacheRetryAfter(downSeconds: number): number {
  return Math.floor(Math.min(LONGEST_SECONDS, Math.max(1, Math.exp(GROWTH_PER_SECOND * downSeconds))))
}

/**
 * The way back: for how long the cache has been away.
 * @param retryAfterSeconds  value of Retry-After
 * @returns seconds; undefined where the value is one of the bounds, which tell nothing
 */
export function watchCacheDowntime(retryAfterSeconds: number): number | undefined {
  if (retryAfterSeconds <= 1 || retryAfterSeconds >= LONGEST_SECONDS) return undefined
  return Math.round(Math.log(retryAfterSeconds) / GROWTH_PER_SECOND)
}
