/**
 * Errors of validation as the API machinery words them.
 * Source: kubernetes/apimachinery pkg/util/validation/field/errors.go.
 */
import type { FieldPath } from './problem.ts'
import { utf8Bytes } from './text.ts'
import type { VersionRules } from './versions.ts'

export type ErrorCategory = 'Required' | 'Invalid' | 'Forbidden' | 'NotSupported' | 'TooLong' | 'Duplicate'

export interface FieldError {
  path: FieldPath
  category: ErrorCategory
  /** As in the server's answer, without the field: `Required value: must reference a priority level`. */
  message: string
  /** Its last part, what is wrong; '' where the server says nothing. */
  detail: string
  /** Null where the value is not told. */
  value: ErrorValue | null
}

/** A struct as a value in a message: its Go type, and its fields in Go's spelling. */
export interface GoStruct {
  goType: string
  fields: Readonly<Record<string, string>>
}

export type ErrorValue = string | number | readonly string[] | GoStruct

/** Gathers the errors of one object, in the order in which they are found. */
export class FieldErrors {
  readonly found: FieldError[] = []
  readonly #quoting: VersionRules['quoting']

  constructor(rules: Pick<VersionRules, 'quoting'>) {
    this.#quoting = rules.quoting
  }

  required(path: FieldPath, detail = ''): void {
    this.#add(path, 'Required', ['Required value', detail], null)
  }

  forbidden(path: FieldPath, detail = ''): void {
    this.#add(path, 'Forbidden', ['Forbidden', detail], null)
  }

  invalid(path: FieldPath, value: ErrorValue, detail: string): void {
    this.#add(path, 'Invalid', [`Invalid value: ${this.#quote(value)}`, detail], value)
  }

  notSupported(path: FieldPath, value: ErrorValue, supported: readonly string[]): void {
    const list = `supported values: ${supported.map(goQuote).join(', ')}`
    this.#add(path, 'NotSupported', [`Unsupported value: ${this.#quote(value)}`, list], value)
  }

  duplicate(path: FieldPath, value: string): void {
    this.#add(path, 'Duplicate', [`Duplicate value: ${this.#quote(value)}`, ''], value)
  }

  tooLong(path: FieldPath, limit: number): void {
    this.#add(path, 'TooLong', ['Too long', `may not be more than ${limit} bytes`], null)
  }

  #add(path: FieldPath, category: ErrorCategory, [fault, detail]: [string, string], value: ErrorValue | null): void {
    this.found.push({ path, category, message: detail === '' ? fault : `${fault}: ${detail}`, detail, value })
  }

  #quote(value: ErrorValue): string {
    if (typeof value === 'string') return goQuote(value)
    if (typeof value === 'number') return String(value)
    if (isGoStruct(value)) {
      if (this.#quoting === 'json') return goJson(value.fields)
      const fields = Object.entries(value.fields).map(([name, content]) => `${name}:${goQuote(content)}`)
      return `${value.goType}{${fields.join(', ')}}`
    }
    return this.#quoting === 'json' ? goJson(value) : `[]string{${value.map(goQuote).join(', ')}}`
  }
}

function isGoStruct(value: GoStruct | readonly string[]): value is GoStruct {
  return 'goType' in value
}

/** Length as Go counts it: bytes. */
export function byteLength(text: string): number {
  return utf8Bytes(text).length
}

/** JSON as Go writes it, with the characters escaped that HTML could misread. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${hex(char, 4)}`)
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** A string as Go's %q prints it: what is not printable is escaped. */
export function goQuote(text: string): string {
  const escaped = text.replace(/["\\]|[^\P{C}]|(?! )\p{Z}/gu, (char) => {
    const code = char.codePointAt(0) ?? 0
    const short = SHORT_ESCAPES[char]
    if (short !== undefined) return short
    if (code < 0x80) return `\\x${hex(char, 2)}`
    return code > 0xffff ? `\\U${hex(char, 8)}` : `\\u${hex(char, 4)}`
  })
  return `"${escaped}"`
}

function hex(char: string, digits: number): string {
  return (char.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')
}
