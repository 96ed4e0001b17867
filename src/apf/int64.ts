const MOST = '9223372036854775807'
const LEAST = '9223372036854775808'

/** Whether Go's `strconv.ParseInt(text, 10, 64)` takes the text: decimal digits with an optional sign, within int64. */
export function isInt64(text: string): boolean {
  if (/^[0-9]{1,18}$/.test(text)) return true
  const match = /^([+-]?)0*([0-9]*)$/.exec(text)
  if (match === null || text === match[1]) return false
  const digits = match[2] ?? ''
  const limit = match[1] === '-' ? LEAST : MOST
  return digits.length < limit.length || (digits.length === limit.length && digits <= limit)
}
