/**
 * Bodies as an API server reads them, which is not as kubectl does: keys that stand twice are merged and reported, and
 * JSON numbers count by their spelling.
 */
import { isAlias, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { type FieldPath, formatFieldPath } from '../../src/apf/problem.ts'
import { readJson } from '../../src/sources/json.ts'
import { sourceText } from '../../src/sources/source-text.ts'
import { readYaml, YAML_TOKENS } from '../../src/sources/yaml.ts'

export interface RequestBody {
  value: unknown
  /** Texts of keys that stand twice, for a strict error and for warnings. */
  strict: string[]
  warnings: string[]
}

/** Data of which the spelling of numbers counts. */
export function jsonWithSpelling(text: string): unknown {
  return new MergingReader(text).read(undefined, [])
}

/** Null: no body that a server can read. */
export function jsonBody(text: string): RequestBody | null {
  const read = readJson(sourceText('body', text), 0, text.length)
  if ('fault' in read || read.documents.length !== 1) return null
  const reader = new MergingReader(text)
  const value = reader.read(undefined, [])
  const texts = reader.duplicates.map((path) => `duplicate field "${formatFieldPath(path)}"`)
  return { value, strict: texts, warnings: texts }
}

/** Of a key that stands twice the values are laid over each other. Reads text that is known to be JSON. */
class MergingReader {
  readonly duplicates: FieldPath[] = []
  readonly #tokens: string[]

  constructor(text: string) {
    this.#tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? []
  }

  read(earlier: unknown, path: FieldPath): unknown {
    const token = this.#tokens.shift() ?? ''
    if (token === '{') return this.#object(earlier, path)
    if (token === '[') return this.#list(earlier, path)
    if (token === 'null') return earlier ?? null
    // A whole number with a fraction or an exponent is none for Go.
    return /^-?\d+(?:\.0+|e\d)/.test(token) ? Number.NaN : JSON.parse(token)
  }

  #object(earlier: unknown, path: FieldPath): object {
    const merged = new Map(isObject(earlier) ? Object.entries(earlier) : [])
    const own = new Set<string>()
    while (this.#tokens[0] !== '}') {
      const key: string = JSON.parse(this.#tokens.shift() ?? '')
      this.#tokens.shift()
      if (own.has(key)) this.duplicates.push([...path, key])
      own.add(key)
      merged.set(key, this.read(merged.get(key), [...path, key]))
      if (this.#tokens[0] === ',') this.#tokens.shift()
    }
    this.#tokens.shift()
    return Object.fromEntries(merged)
  }

  #list(earlier: unknown, path: FieldPath): unknown[] {
    const items: unknown[] = []
    while (this.#tokens[0] !== ']') {
      const under: unknown = Array.isArray(earlier) ? earlier[items.length] : undefined
      items.push(this.read(under, [...path, items.length]))
      if (this.#tokens[0] === ',') this.#tokens.shift()
    }
    this.#tokens.shift()
    return items
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null: no body that a server can read. */
export function yamlBody(text: string): RequestBody | null {
  const { documents, problems } = readYaml(sourceText('body', text), 0, text.length, { tokens: YAML_TOKENS })
  const [document] = documents
  if (document === undefined || problems.length > 0) return null
  const repeated = [
    ...document.duplicateKeys.map(({ path }) => ({
      key: String(path[path.length - 1]),
      line: document.locate(path).line,
    })),
    ...overriddenMerges(text),
  ]
  // The line is that of the value, which may start on the next one.
  const texts = repeated.map(({ key, line }) => `line ${line}: key "${key}" already set in map`)
  const strict = texts.length === 0 ? [] : [`yaml: unmarshal errors:\n${texts.map((line) => `  ${line}`).join('\n')}`]
  return { value: document.value, strict, warnings: texts }
}

/** Keys that a merge in the same mapping has given already. */
function overriddenMerges(text: string): { key: string; line: number }[] {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, lineCounter })
  const found: { key: string; line: number }[] = []
  visit(document, {
    Map(_, map) {
      const merged = new Set<string>()
      for (const { key, value } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (name === '<<')
          for (const mergedKey of keysOf(isAlias(value) ? value.resolve(document) : value)) merged.add(mergedKey)
        else if (merged.has(name))
          found.push({ key: name, line: lineCounter.linePos((isNode(value) ? value : key).range?.[0] ?? 0).line })
      }
    },
  })
  return found
}

function keysOf(node: Node | unknown): string[] {
  return isMap(node) ? node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')) : []
}
