/** A bar that is as full as what it stands for. */

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * @param part   0…1; more is shown as full
 * @param width  cells of a full bar
 * @param unicode  false: whole cells of `#`
 */
export function bar(part: number, width: number, unicode: boolean): string {
  const cells = Math.min(1, Math.max(0, part)) * width
  const whole = Math.floor(cells)
  if (!unicode) return '#'.repeat(part > 0 ? Math.max(1, Math.round(cells)) : 0)
  // Something is never shown as nothing.
  const eighths = Math.floor((cells - whole) * 8)
  const rest = EIGHTHS[whole === 0 && part > 0 ? Math.max(1, eighths) : eighths] ?? ''
  return '█'.repeat(whole) + rest
}
