/** Reproducible pseudo-random numbers (splitmix32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** An integer of first … last, both included. */
  integer(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.next() * values.length)]
    if (value === undefined) throw new RangeError('nothing to pick from')
    return value
  }

  /** First to last many values, drawn with repetition. */
  several<T>(values: readonly T[], first: number, last: number): T[] {
    return Array.from({ length: this.integer(first, last) }, () => this.pick(values))
  }
}
