/** Numbers for people. */

/** `1,204`; fractions keep theirs. */
export function thousands(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `1 call`, `1,204 calls`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`
}

/** One decimal at most: `3.1`, `0.4`, `12`. */
export function rounded(value: number): string {
  return thousands(Math.round(value * 10) / 10)
}

/** `3d4h`, `12m`, `45s`: the two largest units that say something. */
export function age(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const days = Math.floor(whole / 86_400)
  const hours = Math.floor(whole / 3600) % 24
  const minutes = Math.floor(whole / 60) % 60
  if (days > 0) return hours > 0 ? `${days}d${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h${minutes}m` : `${hours}h`
  return minutes > 0 ? `${minutes}m` : `${whole}s`
}
