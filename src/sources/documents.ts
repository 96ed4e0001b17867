/** One input as documents: split at `---`, each told apart by its content as JSON or YAML. */
import type { Problem } from '../apf/problem.ts'
import { readJson, TOO_DEEP } from './json.ts'
import {
  type DocumentsRead,
  excerpt,
  type SourceDocument,
  type SourceText,
  type SyntaxFault,
  syntaxProblem,
} from './source-text.ts'
import type { YamlBudget } from './yaml.ts'

/** Reads every document that can be read; each of the others leaves one problem of severity error. */
export async function readDocuments(source: SourceText): Promise<DocumentsRead> {
  const all: DocumentsRead = { documents: [], problems: [] }
  let budget: YamlBudget | null = null
  for (const part of parts(source)) {
    if ('fault' in part) {
      all.problems.push(syntaxProblem(source, part.fault))
      continue
    }
    const { start, end } = part
    const json = looksLikeJson(source.text, start, end) ? readJson(source, start, end) : null
    if (json && 'documents' in json) {
      all.documents.push(...json.documents)
      continue
    }
    if (json?.fault.code === TOO_DEEP) {
      all.problems.push(syntaxProblem(source, json.fault))
      continue
    }
    const foreign = foreignDocument(source, start, end)
    if (foreign) {
      all.documents.push(foreign)
      continue
    }
    const { readYaml, YAML_TOKENS } = await import('./yaml.ts')
    budget ??= { tokens: YAML_TOKENS }
    const read = readYaml(source, start, end, budget)
    all.documents.push(...read.documents)
    all.problems.push(
      ...(json && meantAsJson(source, start, end) ? preferred(source, json.fault, read) : read.problems),
    )
    if (budget.tokens < 0) break
  }
  return all
}

/** A stretch of text between two separators, or what stands wrongly behind one. */
type Part = { start: number; end: number } | { fault: SyntaxFault }

const SEPARATOR = /^---.*$/gm

function* parts(source: SourceText): Generator<Part> {
  const { text } = source
  let start = 0
  for (const separator of text.matchAll(SEPARATOR)) {
    yield { start, end: separator.index }
    start = separator.index + separator[0].length
    const rest = separator[0].slice(3).trim()
    if (rest !== '' && !rest.startsWith('#')) {
      const message = `found ${excerpt(rest)} behind the separator ---, expected the end of the line`
      yield { fault: { offset: separator.index + 3, code: 'syntax', message, fix: 'put it on a line of its own' } }
    }
  }
  yield { start, end: text.length }
}

/** YAML mappings may begin with a brace as well, and chart templates do: the JSON reader finds out. */
function looksLikeJson(text: string, start: number, end: number): boolean {
  const first = /\S/g
  first.lastIndex = start
  const match = first.exec(text)
  return match !== null && match.index < end && (match[0] === '{' || match[0] === '[')
}

function meantAsJson({ file, text }: SourceText, start: number, end: number): boolean {
  return file.endsWith('.json') || /^\s*(?:\[\s*)?\{\s*"/.test(text.slice(start, Math.min(end, start + 500)))
}

/** Of two errors about one text, that of the language in which it was meant. */
function preferred(source: SourceText, jsonFault: SyntaxFault, read: DocumentsRead): Problem[] {
  const failed = read.problems.some(({ code, severity }) => severity === 'error' && code !== 'template')
  return failed ? [syntaxProblem(source, jsonFault)] : read.problems
}

const LARGE_DOCUMENT = 32 * 1024
const TOP_LEVEL_KIND = /^kind:[ \t]+([A-Za-z]+)[ \t]*\r?$/gm

/**
 * A large document of another kind, such as a CustomResourceDefinition, known by the one line that says so: there is no need
 * to parse it. Null for everything else.
 */
function foreignDocument(source: SourceText, start: number, end: number): SourceDocument | null {
  if (end - start < LARGE_DOCUMENT) return null
  const kinds = [...source.text.slice(start, end).matchAll(TOP_LEVEL_KIND)].map(([, kind]) => kind ?? '')
  const [kind] = kinds
  if (
    kind === undefined ||
    kinds.length > 1 ||
    /^FlowSchema$|^PriorityLevelConfiguration$|^Expectations$|List$/.test(kind)
  )
    return null
  return { value: { kind }, locate: () => source.positionAt(start), writtenAt: () => undefined, duplicateKeys: [] }
}
