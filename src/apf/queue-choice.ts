/**
 * Which queue of its hand a request joins.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/fairqueuing/queueset/queueset.go (shuffleShardLocked).
 */
import type { VersionRules } from './versions.ts'

/**
 * The queue with the least load; of several the first in scan order.
 *
 * @param hand     queue numbers in dealing order, not empty
 * @param load     load of a queue by what waits in it, in the measure of `rules.queueChoice`: requests, seats or
 *   seat-seconds. What executes does not count.
 * @param choices  earlier choices in this level of this server; from the version on that measures work the scan starts
 *   there, modulo the size of the hand
 */
export function chooseQueue(
  hand: readonly number[],
  load: (queue: number) => number,
  choices: number,
  rules: Pick<VersionRules, 'queueChoice'>,
): number {
  const start = rules.queueChoice === 'work' ? choices % hand.length : 0
  const scan = [...hand.slice(start), ...hand.slice(0, start)]
  return scan.reduce((best, queue) => (load(queue) < load(best) ? queue : best))
}
