/**
 * Field and label selectors, as far as they decide how a request is classified: whether they parse, and which name they select.
 * Source: kubernetes/apimachinery pkg/fields/selector.go and pkg/labels/selector.go.
 */
import { isInt64 } from './int64.ts'
import { isLabelKey, isLabelValue } from './names.ts'
import { compareBytes } from './text.ts'

/** One requirement of a field selector: `field=value`, or `field!=value` where `equal` is false. */
export interface FieldTerm {
  field: string
  equal: boolean
  value: string
}

/** The requirements of a field selector in the order in which the server evaluates them, or null if it does not parse. */
export function parseFieldSelector(selector: string): FieldTerm[] | null {
  const terms: FieldTerm[] = []
  const texts = splitTerms(selector)
  if (texts.length > 1) texts.sort(compareBytes)
  for (const text of texts) {
    if (text === '') continue
    const term = parseTerm(text)
    if (term === null) return null
    terms.push(term)
  }
  return terms
}

/** The value that the selector requires of one field, or null. Of several equalities the first counts. */
export function requiredValue(terms: readonly FieldTerm[], field: string): string | null {
  return terms.find((term) => term.equal && term.field === field)?.value ?? null
}

/** Splits at the commas that no backslash escapes; escapes stay as they are. */
function splitTerms(selector: string): string[] {
  if (!selector.includes('\\')) return selector.split(',')
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < selector.length; i++) {
    if (selector[i] === '\\') i++
    else if (selector[i] === ',') {
      terms.push(selector.slice(start, i))
      start = i + 1
    }
  }
  terms.push(selector.slice(start))
  return terms
}

/** The first operator splits a term; the field name knows no escapes. */
function parseTerm(text: string): FieldTerm | null {
  const equals = text.indexOf('=')
  if (equals < 0) return null
  const negated = equals > 0 && text[equals - 1] === '!'
  const doubled = !negated && text[equals + 1] === '='
  const value = unescapeValue(text.slice(equals + (doubled ? 2 : 1)))
  if (value === null) return null
  return { field: text.slice(0, negated ? equals - 1 : equals), equal: !negated, value }
}

/**
 * Takes the backslashes out of a value; null for an unknown escape or an unescaped `,` or `=`.
 * Only a value that needs this work loses its bytes that are not UTF-8, because Go then rewrites it rune by rune.
 */
function unescapeValue(text: string): string | null {
  if (!/[\\,=]/.test(text)) return text
  if (!/^(?:[^\\,=]|\\[\\,=])*$/.test(text)) return null
  return text.replace(/\\(.)/g, '$1').toWellFormed()
}

type Token = 'identifier' | 'end' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '<' | '>'

/** Whether the server can parse a label selector; its meaning has no influence on classification. */
export function isLabelSelector(selector: string): boolean {
  const tokens = new LabelTokens(selector)
  if (tokens.next() === 'end') return true
  for (;;) {
    if (!acceptRequirement(tokens)) return false
    if (tokens.kind === 'end') return true
    if (tokens.kind !== ',') return false
    const start = tokens.next()
    if (start !== 'identifier' && start !== '!') return false
  }
}

/** Reads one requirement and leaves the token behind it current. */
function acceptRequirement(tokens: LabelTokens): boolean {
  const absent = tokens.kind === '!'
  if (absent) tokens.next()
  if (tokens.kind !== 'identifier' || !isLabelKey(tokens.text)) return false
  const operator = tokens.next()
  if (absent || operator === 'end' || operator === ',') return true
  switch (operator) {
    case '=':
    case '==':
    case '!=':
      return acceptValue(tokens, isLabelValue)
    case '<':
    case '>':
      return acceptValue(tokens, (value) => isInt64(value) && isLabelValue(value))
    case 'identifier':
      return (tokens.text === 'in' || tokens.text === 'notin') && acceptValueSet(tokens)
    default:
      return false
  }
}

/** The value behind an operator; a missing one is the empty string. */
function acceptValue(tokens: LabelTokens, isValid: (value: string) => boolean): boolean {
  const kind = tokens.next()
  if (kind === 'end' || kind === ',') return isValid('')
  if (kind !== 'identifier' || !isValid(tokens.text)) return false
  tokens.next()
  return true
}

/** `(a,b)`; every value, and the whole list, may be empty. */
function acceptValueSet(tokens: LabelTokens): boolean {
  if (tokens.next() !== '(') return false
  for (;;) {
    let kind = tokens.next()
    if (kind === 'identifier') {
      if (!isLabelValue(tokens.text)) return false
      kind = tokens.next()
    }
    if (kind === ')') {
      tokens.next()
      return true
    }
    if (kind !== ',') return false
  }
}

/** The tokens of a label selector. A NUL ends the selector, or, right behind another token, nothing but that token. */
class LabelTokens {
  kind: Token = 'end'
  /** Of an identifier: its text. `in` and `notin` are identifiers here; the place tells whether they are operators. */
  text = ''
  readonly #selector: string
  #at = 0

  constructor(selector: string) {
    this.#selector = selector
  }

  next(): Token {
    this.kind = this.#scan()
    return this.kind
  }

  #scan(): Token {
    const selector = this.#selector
    while (isBlank(selector.charCodeAt(this.#at))) this.#at++
    const start = this.#at
    const first = selector[start]
    if (first === undefined || first === '\0') return 'end'
    if (isSymbol(first)) {
      this.#at++
      const doubled = selector[this.#at] === '=' && (first === '=' || first === '!')
      if (doubled) this.#at++
      this.#swallowNul()
      return doubled ? `${first}=` : first
    }
    while (this.#at < selector.length && !endsIdentifier(selector[this.#at] ?? '')) this.#at++
    this.text = selector.slice(start, this.#at)
    this.#swallowNul()
    return 'identifier'
  }

  #swallowNul(): void {
    if (this.#selector[this.#at] === '\0') this.#at++
  }
}

function isSymbol(char: string): char is '(' | ')' | ',' | '!' | '=' | '<' | '>' {
  return char.length === 1 && '()=!,<>'.includes(char)
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a
}

function endsIdentifier(char: string): boolean {
  return char === '\0' || isSymbol(char) || isBlank(char.charCodeAt(0))
}
