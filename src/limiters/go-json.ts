/**
 * A JSON object of texts as Go's encoding/json reads it, with its error texts.
 * Source: Go encoding/json scanner.go and decode.go
 */

/** @returns the members, or the error; `isSyntax`: it is not JSON at all */
export function goJsonStrings(text: string): { value: Map<string, string> } | { error: string; isSyntax: boolean } {
  const fault = syntaxFault(text)
  if (fault !== null) return { error: fault, isSyntax: true }
  const parsed: unknown = JSON.parse(text)
  if (parsed === null) return { value: new Map() }
  if (typeof parsed !== 'object' || Array.isArray(parsed)) return mismatch(parsed, 'map[string]string')
  const members = new Map<string, string>()
  for (const [key, value] of Object.entries(parsed)) {
    if (typeof value !== 'string' && value !== null) return mismatch(value, 'string')
    members.set(key, value ?? '')
  }
  return { value: members }
}

function mismatch(value: unknown, type: string): { error: string; isSyntax: false } {
  const what = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return { error: `json: cannot unmarshal ${what} into Go value of type ${type}`, isSyntax: false }
}

/** What Go's scanner says of the first character that cannot stand where it stands; null: the text is JSON. */
function syntaxFault(text: string): string | null {
  const scanner = new Scanner(text)
  return scanner.value('looking for beginning of value') ?? scanner.end()
}

type Fault = string | null

/** Deeper values are none that anybody writes; Go's own bound is 10,000. */
const MAX_DEPTH = 500

class Scanner {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  value(context: string): Fault {
    this.#skipSpace()
    const first = this.#peek()
    if (first === '{' || first === '[') return this.#nested(first)
    if (first === '"') return this.#string()
    if (/[-0-9]/.test(first)) return this.#number()
    for (const word of ['true', 'false', 'null']) if (first === word[0]) return this.#word(word)
    return this.#invalid(context)
  }

  #nested(first: '{' | '['): Fault {
    if (this.#depth >= MAX_DEPTH) return 'exceeded max depth'
    this.#depth++
    const fault = first === '{' ? this.#object() : this.#array()
    this.#depth--
    return fault
  }

  /** Nothing but white space may follow. */
  end(): Fault {
    this.#skipSpace()
    return this.#at < this.#text.length ? this.#invalid('after top-level value') : null
  }

  #object(): Fault {
    this.#at++
    this.#skipSpace()
    if (this.#peek() === '}') return this.#advance()
    for (;;) {
      this.#skipSpace()
      if (this.#peek() !== '"') return this.#invalid('looking for beginning of object key string')
      const key = this.#string()
      if (key !== null) return key
      this.#skipSpace()
      if (this.#peek() !== ':') return this.#invalid('after object key')
      this.#at++
      const value = this.value('looking for beginning of value')
      if (value !== null) return value
      this.#skipSpace()
      const next = this.#peek()
      if (next === '}') return this.#advance()
      if (next !== ',') return this.#invalid('after object key:value pair')
      this.#at++
    }
  }

  #array(): Fault {
    this.#at++
    this.#skipSpace()
    if (this.#peek() === ']') return this.#advance()
    for (;;) {
      const value = this.value('looking for beginning of value')
      if (value !== null) return value
      this.#skipSpace()
      const next = this.#peek()
      if (next === ']') return this.#advance()
      if (next !== ',') return this.#invalid('after array element')
      this.#at++
    }
  }

  #string(): Fault {
    for (this.#at++; ; this.#at++) {
      const character = this.#peek()
      if (character === '"') return this.#advance()
      if (character === '' || character < ' ') return this.#invalid('in string literal')
      if (character !== '\\') continue
      this.#at++
      if (this.#peek() === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          this.#at++
          if (!/^[0-9a-fA-F]$/.test(this.#peek())) return this.#invalid('in \\u hexadecimal character escape')
        }
      } else if (!/^["\\/bfnrt]$/.test(this.#peek())) return this.#invalid('in string escape code')
    }
  }

  #number(): Fault {
    if (this.#peek() === '-') this.#at++
    if (!isDigit(this.#peek())) return this.#invalid('in numeric literal')
    if (this.#peek() === '0') this.#at++
    else this.#digits()
    if (this.#peek() === '.') {
      this.#at++
      if (!isDigit(this.#peek())) return this.#invalid('after decimal point in numeric literal')
      this.#digits()
    }
    if (!/^[eE]$/.test(this.#peek())) return null
    this.#at++
    if (/^[-+]$/.test(this.#peek())) this.#at++
    if (!isDigit(this.#peek())) return this.#invalid('in exponent of numeric literal')
    this.#digits()
    return null
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at++
  }

  #word(word: string): Fault {
    for (const letter of word) {
      if (this.#peek() !== letter) return this.#invalid(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
    return null
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }

  #advance(): null {
    this.#at++
    return null
  }

  #skipSpace(): void {
    while (/^[ \t\r\n]$/.test(this.#peek())) this.#at++
  }

  #invalid(context: string): string {
    const character = this.#peek()
    if (character === '') return 'unexpected end of JSON input'
    return `invalid character ${quotedCharacter(character)} ${context}`
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

/** Go looks at bytes: one of several that make up a character is quoted as if it were of Latin-1. */
function quotedCharacter(character: string): string {
  if (character === "'") return `'\\''`
  if (character === '"') return `'"'`
  const byte = new TextEncoder().encode(character)[0] ?? 0
  const shown = byte < 0x80 ? character : String.fromCharCode(byte)
  const escaped = JSON.stringify(shown).slice(1, -1)
  return `'${byte < 0x20 || byte === 0x7f ? escapedControl(byte) : escaped}'`
}

const CONTROLS: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
}

function escapedControl(byte: number): string {
  return CONTROLS[byte] ?? `\\x${byte.toString(16).padStart(2, '0')}`
}
