/**
 * YAML manifests with positions, read as kubectl reads them: a document a `---`, scalars as Go takes them, merges where
 * they stand, and of a key that stands twice the last value. The parser only builds the tree; what a node means is decided
 * here.
 * Source: go.yaml.in/yaml/v2 decode.go, sigs.k8s.io/yaml yaml.go.
 */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import type { FieldPath, Problem, TextRange, WrittenField } from '../apf/problem.ts'
import { isUnusable, type JsonScalar, scalarValue, type UnusableScalar } from './go-yaml.ts'
import { TOO_DEEP } from './json.ts'
import {
  type DocumentsRead,
  type DuplicateKey,
  excerpt,
  HELM_FIRST,
  MAX_DEPTH,
  type SourceDocument,
  type SourceText,
  type SyntaxFault,
  syntaxProblem,
} from './source-text.ts'

/**
 * Reads the part of a text between two document separators. This file is imported only when there is YAML to read: its
 * parser costs more than everything else of a start.
 */
export function readYaml(source: SourceText, start: number, end: number, budget: YamlBudget): DocumentsRead {
  const text = source.text.slice(start, end)
  const nothing: DocumentsRead = { documents: [], problems: [] }
  const control = CONTROL_CHARACTER.exec(text)
  if (control) return failed(source, controlFault(control[0], start + control.index))

  const parsed = parse(text, budget)
  if ('fault' in parsed) return failed(source, { ...parsed.fault, offset: start + parsed.fault.offset })
  const { document, next } = parsed
  const problems = next === null ? [] : [ignoredRest(source, start + next)]
  if (document === null || document.contents === null) return { ...nothing, problems }

  const conversion = new Conversion(source, start, text)
  const value = conversion.valueOf(document.contents)
  if (conversion.fault) return failed(source, conversion.fault)
  const read: SourceDocument = {
    value,
    locate: (path) => conversion.locate(path, document.contents),
    writtenAt: (path) => conversion.writtenAt(path, document.contents),
    duplicateKeys: conversion.duplicateKeys,
  }
  return { documents: [read], problems }
}

function failed(source: SourceText, fault: SyntaxFault): DocumentsRead {
  return { documents: [], problems: [syntaxProblem(source, fault)] }
}

/** Go's reader refuses these characters anywhere; escapes in double quotes are the way to write them. */
const CONTROL_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

function controlFault(character: string, offset: number): SyntaxFault {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return {
    offset,
    code: 'syntax',
    message: `not valid YAML: found the control character U+${code}`,
    fix: 'remove it, or write it as an escape in double quotes',
  }
}

/**
 * What may still be read of one input. Trees take about 400 bytes and two microseconds for each token, so that an input has
 * to end somewhere; strings may be as long as they like.
 */
export interface YamlBudget {
  tokens: number
}

export const YAML_TOKENS = 2_000_000

/** The first document of a text; `next` is the offset of a further one behind `...`, which kubectl does not read. */
function parse(
  text: string,
  budget: YamlBudget,
): { document: Document | null; next: number | null } | { fault: SyntaxFault } {
  const limited = new LimitedTokens(text, budget)
  // A text may have as many errors as characters, and only the first one counts: stack traces are for nothing.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    let document: Document | null = null
    for (const composed of new Composer(COMPOSER_OPTIONS).compose(limited.tokens(), false, text.length)) {
      if (limited.fault) break
      if (document !== null) {
        if (composed.contents !== null) return { document, next: composed.contents.range[0] }
        continue
      }
      const [error] = composed.errors
      if (error) return { fault: faultOf(error, text) }
      document = composed
    }
    return limited.fault ? { fault: limited.fault } : { document, next: null }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The tree as it is written, all scalars text: what it means is decided by the conversion. */
const COMPOSER_OPTIONS = {
  schema: 'failsafe',
  resolveKnownTags: false,
  uniqueKeys: false,
  merge: false,
  logLevel: 'silent',
} as const

/** Feeds the parser as long as the text keeps within bounds. */
class LimitedTokens {
  fault: SyntaxFault | null = null
  readonly #text: string
  readonly #budget: YamlBudget

  constructor(text: string, budget: YamlBudget) {
    this.#text = text
    this.#budget = budget
  }

  *tokens(): Generator<CST.Token, void> {
    const parser = new Parser()
    let offset = 0
    let flowDepth = 0
    for (const lexeme of new Lexer().lex(this.#text)) {
      if (lexeme === '[' || lexeme === '{') flowDepth++
      else if (lexeme === ']' || lexeme === '}') flowDepth--
      if (flowDepth > MAX_DEPTH) this.fault = tooDeep(offset)
      else if (--this.#budget.tokens < 0) this.fault = { offset, code: 'too-large', message: TOO_MUCH, fix: LESS }
      if (this.fault) return
      offset = parser.offset
      yield* parser.next(lexeme)
    }
    yield* parser.end()
  }
}

const TOO_MUCH = 'more YAML in one input than is read: the rest is left out'
const LESS = 'give only the FlowSchemas and PriorityLevelConfigurations, or JSON, which may be larger'

function tooDeep(offset: number): SyntaxFault {
  return { offset, code: TOO_DEEP, message: `nested more than ${MAX_DEPTH} levels deep` }
}

const FIXES: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'indent it like its neighbours, and close every bracket',
  BLOCK_AS_IMPLICIT_KEY: 'quote the value, or put it on a line of its own',
  MULTILINE_IMPLICIT_KEY: 'add ":" after the key, or quote the text',
  BAD_SCALAR_START: 'quote the value',
}

function faultOf(error: YAMLError, text: string): SyntaxFault {
  const offset = error.pos[0]
  if (error.code === 'RESOURCE_EXHAUSTION') return tooDeep(offset)
  const template = templateFault(text, offset)
  if (template) return template
  if (error.code === 'BAD_ALIAS' && text.charAt(offset) === '*') {
    return {
      offset,
      code: 'syntax',
      message: 'not valid YAML: found a bare *, which starts an alias',
      fix: 'write "*"',
    }
  }
  const reason = error.message.charAt(0).toLowerCase() + error.message.slice(1).replace('block-seq-ind', '"-"')
  const found = excerpt(text.slice(offset, offset + 200))
  const fault: SyntaxFault = {
    offset,
    code: 'syntax',
    message: `not valid YAML: ${reason}${found === '' ? '' : `; found ${found}`}`,
  }
  const fix = FIXES[error.code]
  if (fix !== undefined) fault.fix = fix
  return fault
}

/** Chart templates are the usual reason why a manifest is not YAML: the one on the line of the fault, else the first. */
function templateFault(text: string, offset: number): SyntaxFault | null {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const lineEnd = text.indexOf('\n', offset)
  const onLine = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).search(TEMPLATE)
  const at = onLine >= 0 ? lineStart + onLine : text.search(TEMPLATE)
  if (at < 0) return null
  return {
    offset: at,
    code: 'template',
    message: `not YAML yet: found the template ${excerpt(TEMPLATE.exec(text.slice(at, at + 200))?.[0] ?? '')}`,
    fix: HELM_FIRST,
  }
}

const TEMPLATE = /\{\{[^\n]*?(?:\}\}|$)/m

function ignoredRest(source: SourceText, offset: number): Problem {
  return {
    code: 'ignored-document',
    severity: 'warning',
    message: 'found another document after "...", which kubectl does not read',
    fix: 'separate documents with ---',
    at: { file: source.file, ...source.positionAt(offset) },
  }
}

/** Where the values of aliases outgrow the document, kubectl refuses it; these are the bounds of its parser. */
const FEW_VALUES = 400_000
const MANY_VALUES = 4_000_000
const SHARE_OF_FEW = 0.99
const SHARE_OF_MANY = 0.1

function allowedAliasShare(values: number): number {
  const excess = Math.min(Math.max((values - FEW_VALUES) / (MANY_VALUES - FEW_VALUES), 0), 1)
  return SHARE_OF_FEW - (SHARE_OF_FEW - SHARE_OF_MANY) * excess
}

/** Turns the tree of one document into its JSON value. After a fault the value means nothing. */
class Conversion {
  fault: SyntaxFault | null = null
  readonly duplicateKeys: DuplicateKey[] = []
  readonly #source: SourceText
  /** Offset of the document in the source; the nodes count from there. */
  readonly #start: number
  readonly #text: string
  readonly #anchors = new Map<string, Node>()
  readonly #targets = new Map<Alias, Node>()
  readonly #open = new Set<Alias>()
  readonly #path: (string | number)[] = []
  #values = 0
  #aliasValues = 0

  constructor(source: SourceText, start: number, text: string) {
    this.#source = source
    this.#start = start
    this.#text = text
  }

  valueOf(node: Node | null): unknown {
    if (this.fault || node === null || this.#outgrown(node)) return null
    if (this.#path.length > MAX_DEPTH) return this.#fail(node, `nested more than ${MAX_DEPTH} levels deep`)
    if (isAlias(node)) return this.#aliasValue(node, (target) => this.valueOf(target))
    if (node.anchor !== undefined && this.#open.size === 0) this.#anchors.set(node.anchor, node)
    if (isMap(node)) return Object.fromEntries(this.#entries(node, new Map()))
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.#path.push(index)
        const value = this.valueOf(asNode(item))
        this.#path.pop()
        return value
      })
    }
    return this.#scalar(asScalar(node))
  }

  locate(path: FieldPath, root: Node | null): { line: number; column: number } {
    let place = root
    let node = root
    for (const step of path) {
      const child = this.#child(node, step)
      if (child === null) break
      place = child.place
      node = child.node
    }
    return this.#positionAt(place)
  }

  writtenAt(path: FieldPath, root: Node | null): WrittenField | undefined {
    let found: Child = { key: null, place: root, node: root, shared: false }
    for (const step of path) {
      const child = this.#child(found.node, step)
      if (child === null) return undefined
      found = { ...child, shared: child.shared || found.shared || isAlias(found.node) }
    }
    const { key, place, shared } = found
    const value = place && this.#range(place)
    if (!value) return undefined
    const text = this.#source.text.slice(value.start, value.end)
    return { key: key && this.#range(key), value, text, ...(shared ? { shared } : {}) }
  }

  /** Adds the members of a mapping in the order in which they stand; a merge overrides what stands before it. */
  #entries(map: YAMLMap, into: Map<string, unknown>): Map<string, unknown> {
    const firsts = new Map<string, Node>()
    for (const pair of map.items) {
      const key = asNode(pair.key)
      if (this.#isMerge(key)) {
        this.#merge(asNode(pair.value), into)
        continue
      }
      const name = this.#key(key, map)
      if (name === null) break
      this.#path.push(name)
      if (key && this.#open.size === 0) this.#noteDuplicate(name, key, firsts)
      into.set(name, this.valueOf(asNode(pair.value)))
      this.#path.pop()
    }
    return into
  }

  #noteDuplicate(name: string, key: Node, firsts: Map<string, Node>): void {
    const first = firsts.get(name)
    if (first === undefined) firsts.set(name, key)
    else this.duplicateKeys.push({ path: [...this.#path], at: this.#positionAt(key), first: this.#positionAt(first) })
  }

  #merge(node: Node | null, into: Map<string, unknown>): void {
    if (this.fault || (node && this.#outgrown(node))) return
    if (isMap(node)) {
      if (node.anchor !== undefined && this.#open.size === 0) this.#anchors.set(node.anchor, node)
      this.#entries(node, into)
    } else if (isAlias(node)) {
      this.#aliasValue(node, (target) => {
        if (isMap(target)) this.#entries(target, into)
        else this.#fail(node, 'found a merge of something that is not a mapping')
      })
    } else if (isSeq(node)) {
      for (const item of node.items.toReversed()) {
        const part = asNode(item)
        if (isSeq(part)) this.#fail(part, 'found a merge of something that is not a mapping')
        else this.#merge(part, into)
      }
    } else this.#fail(node, 'found a merge of something that is not a mapping')
  }

  /** Evaluates what an alias stands for. The anchors of a document are known up to where the conversion has come. */
  #aliasValue<T>(alias: Alias, evaluate: (target: Node) => T): T | null {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source)
    if (target === undefined)
      return this.#fail(alias, `found the alias *${alias.source} of an anchor that is not known`)
    if (this.#open.has(alias)) return this.#fail(alias, `found the alias *${alias.source} inside of its own anchor`)
    this.#targets.set(alias, target)
    this.#open.add(alias)
    const value = evaluate(target)
    this.#open.delete(alias)
    return value
  }

  #scalar(node: Scalar): JsonScalar {
    const value = this.#scalarContent(node)
    if (!isUnusable(value)) return value
    return this.#fail(node, `found ${excerpt(node.source ?? '')}, which ${value.reason}`)
  }

  #scalarContent(node: Scalar): JsonScalar | UnusableScalar {
    const plain = node.type === undefined || node.type === 'PLAIN'
    const content = node.source ?? ''
    const unended =
      node.type?.startsWith('BLOCK') && node.range?.[1] === this.#text.length && !this.#text.endsWith('\n')
    // A block at the end of a text without a final line break has none either.
    return scalarValue(unended ? content.replace(/\n$/, '') : content, plain, node.tag ?? null)
  }

  /** JSON has no keys but strings; those of other scalars are their JSON text. Null: not a key, and the fault is recorded. */
  #key(key: Node | null, map: YAMLMap): string | null {
    const value = this.#keyValue(key)
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.#fail(key ?? map, `found ${value === null ? 'an empty key' : 'a key that is not a scalar'}`)
    return null
  }

  #keyValue(key: Node | null): unknown {
    if (key === null) return null
    this.#path.push('')
    const value = this.valueOf(key)
    this.#path.pop()
    return value
  }

  #isMerge(key: Node | null): boolean {
    if (!isScalar(key) || key.source !== '<<') return false
    return key.tag === 'tag:yaml.org,2002:merge' || (key.tag === undefined && key.type === 'PLAIN')
  }

  #outgrown(node: Node): boolean {
    this.#values++
    if (this.#open.size > 0) this.#aliasValues++
    if (this.#aliasValues <= 100 || this.#values <= 1000) return false
    if (this.#aliasValues <= this.#values * allowedAliasShare(this.#values)) return false
    this.#fail(node, 'aliases repeat so much that the document outgrows all bounds', 'write the values out')
    return true
  }

  #fail(node: Node | null, message: string, fix?: string): null {
    if (this.fault) return null
    const offset = node?.range?.[0] ?? 0
    const template = templateFault(this.#text, offset)
    const fault: SyntaxFault = template ?? { offset, code: 'syntax', message: `not valid YAML: ${message}` }
    if (fix !== undefined && template === null) fault.fix = fix
    this.fault = { ...fault, offset: this.#start + fault.offset }
    return null
  }

  #positionAt(node: Node | null): { line: number; column: number } {
    return this.#source.positionAt(this.#start + (node?.range?.[0] ?? 0))
  }

  #range(node: Node): TextRange {
    return { start: this.#start + (node.range?.[0] ?? 0), end: this.#start + endOf(node, this.#text) }
  }

  #child(container: Node | null, step: string | number): Child | null {
    const node = this.#target(container)
    if (isSeq(node)) {
      const item = typeof step === 'number' ? asNode(node.items[step]) : null
      return item && { key: null, place: item, node: item, shared: false }
    }
    return isMap(node) ? this.#member(node, step) : null
  }

  #member(map: YAMLMap, name: string | number): Child | null {
    let found: Child | null = null
    for (const pair of map.items) {
      const key = asNode(pair.key)
      const value = asNode(pair.value)
      if (this.#isMerge(key)) found = this.#mergedMember(value, name) ?? found
      else if (key && String(this.#keyValue(key)) === name) {
        found = { key, place: value ?? key, node: value, shared: false }
      }
    }
    return found
  }

  #mergedMember(merged: Node | null, name: string | number): Child | null {
    const node = this.#target(merged)
    if (isMap(node)) {
      const found = this.#member(node, name)
      return found && { ...found, shared: true }
    }
    if (!isSeq(node)) return null
    for (const part of node.items) {
      const found = this.#mergedMember(asNode(part), name)
      if (found) return found
    }
    return null
  }

  #target(node: Node | null): Node | null {
    let target = node
    while (isAlias(target)) target = this.#targets.get(target) ?? null
    return target
  }
}

/** A member or an item: its key, where it stands, and what it stands for. */
interface Child {
  key: Node | null
  place: Node | null
  node: Node | null
  /** Come by through a merge. */
  shared: boolean
}

/** The end of what is written for a node; the parser counts the comments behind a block to it. */
function endOf(node: Node, text: string): number {
  const [start, end] = node.range ?? [0, 0]
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last = node.items[node.items.length - 1]
    const part = isPair(last) ? (asNode(last.value) ?? asNode(last.key)) : asNode(last)
    return part ? endOf(part, text) : start
  }
  const block = isScalar(node) && node.type?.startsWith('BLOCK')
  return block ? start + text.slice(start, end).replace(/[\r\n]+$/, '').length : end
}

/** Trees of the parser hold nodes only; its types allow for any value, since documents can be made by hand as well. */
function asNode(item: unknown): Node | null {
  return (item ?? null) as Node | null
}

function asScalar(node: Node): Scalar {
  return node as Scalar
}
