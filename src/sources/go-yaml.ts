/**
 * YAML scalars as Go's YAML reader, and with it kubectl and the API server, takes them: YAML 1.1 without base 60 and dates,
 * with a few of its own.
 * Source: go.yaml.in/yaml/v2 resolve.go and sigs.k8s.io/yaml yaml.go.
 */

export type JsonScalar = string | number | boolean | null

/** A scalar that has no JSON value; `reason` follows the words "found VALUE, which". */
export interface UnusableScalar {
  reason: string
}

const TAG_PREFIX = 'tag:yaml.org,2002:'

const WORDS: ReadonlyMap<string, JsonScalar> = new Map([
  ...inThreeCases(['y', 'yes', 'true', 'on'], true),
  ...inThreeCases(['n', 'no', 'false', 'off'], false),
  ...inThreeCases(['null'], null),
  ['~', null],
  ['', null],
])

const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const FLOAT_WITHOUT_INTEGER = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/

/** Integers beyond 64 bits are not read as such. */
const INT64_MIN = -(2 ** 63)
const UINT64_END = 2 ** 64

/**
 * The value of a scalar.
 * @param text  its content, after unquoting and folding
 * @param plain  not quoted and not a block scalar
 * @param tag  the resolved tag (`tag:yaml.org,2002:int`, `!mine`), '!' for the non-specific one, null for none
 */
export function scalarValue(text: string, plain: boolean, tag: string | null): JsonScalar | UnusableScalar {
  if (tag === null) return plain ? plainValue(text) : text
  if (!tag.startsWith(TAG_PREFIX)) return text
  const short = tag.slice(TAG_PREFIX.length)
  switch (short) {
    case 'bool':
    case 'int':
    case 'float':
    case 'null':
      return taggedValue(text, short)
    case 'binary':
      return binaryValue(text)
    default:
      return text
  }
}

export function isUnusable(value: JsonScalar | UnusableScalar): value is UnusableScalar {
  return typeof value === 'object' && value !== null
}

function plainValue(text: string): JsonScalar | UnusableScalar {
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (NOT_FINITE.test(text)) return { reason: 'is not a JSON number' }
  return numberValue(text) ?? text
}

/** Null if the text is not a number. */
function numberValue(text: string): number | null {
  if (text.startsWith('.')) return FLOAT_WITHOUT_INTEGER.test(text) ? finite(text.replaceAll('_', '')) : null
  if (!/^[-+0-9]/.test(text)) return null
  const digits = text.replaceAll('_', '')
  const integer = INTEGER.exec(digits)
  if (integer) {
    const [, sign, hex, binary, octal, decimal] = integer
    const size = hex
      ? Number.parseInt(hex, 16)
      : binary
        ? Number.parseInt(binary, 2)
        : octal
          ? Number.parseInt(octal, 8)
          : Number(decimal)
    const value = sign === '-' ? 0 - size : size
    if (decimal !== undefined) return value
    return value >= INT64_MIN && value < UINT64_END ? value : null
  }
  return FLOAT.test(digits) ? finite(digits) : null
}

function finite(text: string): number | null {
  const value = Number(text)
  return Number.isFinite(value) ? value : null
}

/** A scalar with a tag of the core types is read as if it were plain, and must then be of that type. */
function taggedValue(text: string, type: 'bool' | 'int' | 'float' | 'null'): JsonScalar | UnusableScalar {
  const value = plainValue(text)
  if (isUnusable(value)) return value
  const fits =
    type === 'null'
      ? value === null
      : type === 'bool'
        ? typeof value === 'boolean'
        : typeof value === 'number' && (type === 'float' || INTEGER.test(text.replaceAll('_', '')))
  return fits ? value : { reason: `cannot be read as !!${type}` }
}

function binaryValue(text: string): string | UnusableScalar {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return { reason: 'is not base64' }
  }
}

function inThreeCases(words: readonly string[], value: JsonScalar): [string, JsonScalar][] {
  return words.flatMap((word): [string, JsonScalar][] => {
    const title = word.charAt(0).toUpperCase() + word.slice(1)
    return [word, title, word.toUpperCase()].map((spelling) => [spelling, value])
  })
}
