export interface Symbols {
  arrow: string
  separator: string
  ellipsis: string
}

const UNICODE: Symbols = { arrow: '→', separator: '·', ellipsis: '…' }
const ASCII: Symbols = { arrow: '->', separator: '-', ellipsis: '...' }

/** Signs that the locale can show. */
export function symbolsFor(env: Readonly<Record<string, string | undefined>>): Symbols {
  return showsUnicode(env) ? UNICODE : ASCII
}

/** The first of LC_ALL, LC_CTYPE, LANG that is set decides, as in the C library. */
export function showsUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return /utf-?8/i.test(locale) || process.platform === 'win32'
}
