/** A map of bounded size: when it is full, the entries that came first make room. */
export class BoundedCache<K, V> {
  private readonly entries = new Map<K, V>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.entries.size >= this.capacity && !this.entries.has(key)) this.dropOldest()
    this.entries.set(key, value)
  }

  /** A quarter at once: finding the oldest entry of a map from which many were deleted is slow. */
  private dropOldest(): void {
    let left = Math.ceil(this.capacity / 4)
    for (const key of this.entries.keys()) {
      if (left-- === 0) return
      this.entries.delete(key)
    }
  }
}
