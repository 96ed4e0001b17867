/** A map that forgets: entries not asked for during the last `capacity` insertions may be dropped. */
export interface GenerationCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/** Holds at most twice `capacity` entries. Dropping is a whole generation at a time, so it costs nothing per use. */
export function generationCache<K, V>(capacity: number): GenerationCache<K, V> {
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  const set = (key: K, value: V): void => {
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const kept = old.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    set,
  }
}
