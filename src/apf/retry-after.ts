/**
 * The header Retry-After of a rejection.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/dropped_requests_tracker.go
 */

/** Before it adapted, and of the max-in-flight limiter. */
export const CONSTANT_RETRY_AFTER_SECONDS = 1

const MOST_SECONDS = 32

/** Seconds to wait, 1 to 32, of the rejections of one level on one server, where they adapt to their number. */
export class RetryAfter {
  #seconds = 1
  #lastIncrease = 0
  #now = 0
  #rejectedNow = 0
  #history: { second: number; rejections: number }[] = []

  /**
   * Takes note of one rejection.
   * @param second  Unix time, never less than at the rejection before
   * @returns the value that its answer carries. Only the first rejection of a second changes it, by those before.
   */
  reject(second: number): number {
    if (second === this.#now) {
      this.#rejectedNow += 1
      return this.#seconds
    }
    const oldest = this.#now - Math.min(MOST_SECONDS, 2 * this.#seconds)
    this.#history = [...this.#history, { second: this.#now, rejections: this.#rejectedNow }].filter(
      (entry) => entry.second >= oldest,
    )
    this.#now = second
    this.#rejectedNow = 1
    this.#adapt()
    return this.#seconds
  }

  #adapt(): void {
    const seconds = this.#seconds
    const rejections = this.#history
      .filter(({ second }) => second >= this.#now - seconds)
      .reduce((total, entry) => total + entry.rejections, 0)
    if (this.#now - this.#lastIncrease >= seconds && rejections >= 3 * seconds) {
      this.#seconds = Math.min(MOST_SECONDS, 2 * seconds)
      this.#lastIncrease = this.#now
    } else if (rejections < seconds && seconds > 1) {
      this.#seconds -= 1
    }
  }
}
