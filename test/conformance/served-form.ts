/**
 * A decoded spec in the form in which an API server returns it: without nulls, empty lists and false, which it omits.
 * `lendablePercent` and all other numbers stay, zeros included.
 */
export function servedForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(servedForm)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, content]) => !isOmitted(content))
  return Object.fromEntries(entries.map(([key, content]) => [key, servedForm(content)]))
}

function isOmitted(content: unknown): boolean {
  return content === null || content === false || (Array.isArray(content) && content.length === 0)
}
