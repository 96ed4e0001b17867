/** Equality of plain data, whatever the order of keys. */
export function equalData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = Object.entries(a)
  const right = new Map<string, unknown>(Object.entries(b))
  return left.length === right.size && left.every(([key, value]) => right.has(key) && equalData(value, right.get(key)))
}
