/**
 * The classifier for throughput. The rules of all schemas are flattened into clauses (one subject list with one resource
 * or non-resource rule) in the order in which they are tried. Each value of each dimension has a bit set of the clauses that
 * it satisfies; the lowest bit of their intersection is the first clause that takes the request.
 */

import { BoundedCache } from './bounded-cache.ts'
import { callerCache, type KnownCaller } from './caller-cache.ts'
import type { Classifier, SchemaMatch } from './classify.ts'
import { SERVICE_ACCOUNT_PREFIX } from './identity.ts'
import { isWildcardList, pathPrefix, WILDCARD } from './match.ts'
import type { Subject } from './objects.ts'
import type { EffectiveConfiguration } from './order.ts'
import { type Identity, type RequestAttributes, resourceWithSubresource } from './request.ts'
import { cut } from './text.ts'

/** Distinct candidate windows kept; identities with the same candidates share one. */
const KNOWN_WINDOWS = 1 << 12
const KNOWN_PATHS = 1 << 12

export interface CompiledClassifier extends Classifier {
  /** What can match an identity at all. Worth keeping beside the identity where the same one asks again and again. */
  candidates(identity: Identity): Candidates
  /** As `find`, for an identity whose candidates are at hand. */
  findAmong(candidates: Candidates, request: RequestAttributes): SchemaMatch
}

/** The clauses whose subjects are some identity. */
export interface Candidates {
  resources: Window
  paths: Window
}

type KnownCandidates = Candidates & KnownCaller<KnownCandidates>

/** Builds the classifier of a configuration. It answers exactly as `plainClassifier` does. */
export function compileClassifier(configuration: EffectiveConfiguration): CompiledClassifier {
  const fallback: SchemaMatch = { entry: configuration.catchAll, ruleIndex: null }
  const resourceClauses = new ClauseTable<ResourceDimensions>()
  const pathClauses = new ClauseTable<PathDimensions>()
  for (const entry of configuration.order) {
    entry.schema.spec.rules.forEach((rule, ruleIndex) => {
      const match: SchemaMatch = { entry, ruleIndex }
      for (const clause of rule.resourceRules) resourceClauses.add(match, rule.subjects, clause)
      for (const clause of rule.nonResourceRules) pathClauses.add(match, rule.subjects, clause)
    })
  }

  const verbs = resourceClauses.index(({ verbs }) => verbs)
  const apiGroups = resourceClauses.index(({ apiGroups }) => apiGroups)
  const resources = new ResourceIndex(resourceClauses.index(({ resources }) => resources))
  const namespaces = resourceClauses.index(({ namespaces }) => namespaces)
  const cluster = resourceClauses.bitsWhere(({ clusterScope }) => clusterScope)
  const resourceWindows = new WindowMaker(resourceClauses, cluster, [verbs, apiGroups, resources, namespaces])

  const pathVerbs = pathClauses.index(({ verbs }) => verbs)
  const paths = new PathIndex(pathClauses)
  const pathWindows = new WindowMaker(pathClauses, null, [pathVerbs, paths])

  function candidates(identity: Identity): Candidates {
    return { resources: resourceWindows.of(identity), paths: pathWindows.of(identity) }
  }

  function findAmong({ resources: window, paths: pathWindow }: Candidates, request: RequestAttributes): SchemaMatch {
    if (!request.isResourceRequest) {
      if (pathWindow.sole !== null) return pathWindow.sole
      const verb = pathWindow.names[0] ? pathVerbs.of(request.verb) : pathWindow.bits
      const path = pathWindow.names[1] ? paths.of(request.path) : pathWindow.bits
      return pathClauses.first(pathWindow, verb, path) ?? fallback
    }
    // Where all candidates take any value, nothing has to be looked up: the window itself is neutral.
    const { bits, words, names, sole } = window
    if (sole !== null) return sole
    const verb = names[0] ? verbs.of(request.verb) : bits
    const group = names[1] ? apiGroups.of(request.apiGroup) : bits
    const resource = names[2] ? resources.of(request) : bits
    const scope = request.namespace === '' ? cluster : names[3] ? namespaces.of(request.namespace) : bits
    for (let i = 0; i < words.length; i++) {
      const w = at(words, i)
      const hit = at(bits, w) & at(scope, w) & at(verb, w) & at(group, w) & at(resource, w)
      if (hit !== 0) return resourceClauses.match(w, hit)
    }
    return fallback
  }

  const known = callerCache<KnownCandidates>((name, groups, links) => ({ ...links, ...candidates({ name, groups }) }))
  return {
    candidates,
    findAmong,
    find: (identity, request) => findAmong(known(identity.name, identity.groups), request),
  }
}

/** One bit a clause, 32 to a word. */
type Bits = Int32Array<ArrayBuffer>

interface ResourceDimensions {
  verbs: string[]
  apiGroups: string[]
  resources: string[]
  namespaces: string[]
  clusterScope: boolean
}

interface PathDimensions {
  verbs: string[]
  nonResourceURLs: string[]
}

/** The clauses that can match some identity. */
interface Window {
  bits: Bits
  /** The words of the bit set that are not empty. */
  words: Int32Array
  /** Of each dimension, in the order given to the maker: whether some clause names values of it. */
  names: boolean[]
  /** What takes every request of the kind, where the first clause does. */
  sole: SchemaMatch | null
}

/** Something that knows which clauses take any value of a dimension. */
interface Dimension {
  readonly any: Bits
}

/** Makes the windows of identities. Identities with the same candidates share one. */
class WindowMaker {
  private readonly clauses: ClauseTable<unknown>
  private readonly subjects: SubjectIndex
  private readonly dimensions: readonly Dimension[]
  /** Clauses that take every request of their kind: none behind the first of them is ever reached. */
  private readonly takesAll: Bits
  private readonly known = new BoundedCache<string | number, Window>(KNOWN_WINDOWS)
  /** Used again for every identity: most windows are known, and then nothing has to be allocated. */
  private readonly scratch: Bits

  constructor(clauses: ClauseTable<unknown>, required: Bits | null, dimensions: readonly Dimension[]) {
    this.clauses = clauses
    this.subjects = new SubjectIndex(clauses)
    this.scratch = clauses.noBits()
    this.dimensions = dimensions
    this.takesAll = required?.slice() ?? clauses.bitsWhere(() => true)
    for (const { any } of dimensions)
      for (let w = 0; w < any.length; w++) this.takesAll[w] = at(this.takesAll, w) & at(any, w)
  }

  of(identity: Identity): Window {
    const { scratch } = this
    this.subjects.collect(identity, scratch)
    this.cutBehindTakesAll(scratch)
    const key = scratch.length === 1 ? at(scratch, 0) : textOfBits(scratch)
    const known = this.known.get(key)
    if (known) return known
    const bits = scratch.slice()
    const words = Int32Array.from(bits.keys()).filter((w) => at(bits, w) !== 0)
    const names = this.dimensions.map(({ any }) => words.some((w) => (at(bits, w) & ~at(any, w)) !== 0))
    const made = { bits, words, names, sole: this.soleMatch(bits) }
    this.known.set(key, made)
    return made
  }

  private soleMatch(bits: Bits): SchemaMatch | null {
    const w = bits.findIndex((word) => word !== 0)
    if (w < 0) return null
    const lowest = at(bits, w) & -at(bits, w)
    return (at(this.takesAll, w) & lowest) === 0 ? null : this.clauses.match(w, lowest)
  }

  private cutBehindTakesAll(bits: Bits): void {
    for (let w = 0; w < bits.length; w++) {
      const all = at(bits, w) & at(this.takesAll, w)
      if (all === 0) continue
      // The lowest such bit and all below it.
      bits[w] = at(bits, w) & (all ^ (all - 1))
      bits.fill(0, w + 1)
      return
    }
  }
}

class ClauseTable<Dimensions> {
  readonly subjects: Subject[][] = []
  private readonly clauses: Dimensions[] = []
  private readonly matches: SchemaMatch[] = []

  add(match: SchemaMatch, subjects: Subject[], clause: Dimensions): void {
    this.matches.push(match)
    this.subjects.push(subjects)
    this.clauses.push(clause)
  }

  noBits(): Bits {
    return new Int32Array(Math.ceil(this.clauses.length / 32))
  }

  bitsWhere(holds: (clause: Dimensions) => boolean): Bits {
    const bits = this.noBits()
    this.clauses.forEach((clause, number) => {
      if (holds(clause)) setBit(bits, number)
    })
    return bits
  }

  /** Index of one dimension by exact value; lists that are the wildcard satisfy every value. */
  index(listOf: (clause: Dimensions) => readonly string[]): ValueIndex {
    const index = new ValueIndex(this.bitsWhere((clause) => isWildcardList(listOf(clause))))
    this.clauses.forEach((clause, number) => {
      for (const value of listOf(clause)) index.add(value, number)
    })
    return index
  }

  forEach(visit: (clause: Dimensions, number: number) => void): void {
    this.clauses.forEach(visit)
  }

  /** The match behind the lowest bit of one word. */
  match(word: number, hit: number): SchemaMatch {
    return this.matches[word * 32 + (31 - Math.clz32(hit & -hit))] as SchemaMatch
  }

  first(window: Window, a: Bits, b: Bits): SchemaMatch | undefined {
    for (const w of window.words) {
      const hit = at(window.bits, w) & at(a, w) & at(b, w)
      if (hit !== 0) return this.match(w, hit)
    }
    return undefined
  }
}

class ValueIndex {
  readonly any: Bits
  private readonly byValue = new Map<string, Bits>()

  constructor(any: Bits) {
    this.any = any
  }

  add(value: string, clause: number): void {
    let bits = this.byValue.get(value)
    if (!bits) {
      bits = this.any.slice()
      this.byValue.set(value, bits)
    }
    setBit(bits, clause)
  }

  of(value: string): Bits {
    return this.byValue.get(value) ?? this.any
  }

  get(value: string): Bits | undefined {
    return this.byValue.get(value)
  }

  forEach(visit: (value: string, bits: Bits) => void): void {
    this.byValue.forEach((bits, value) => {
      visit(value, bits)
    })
  }
}

/**
 * Clauses by resource and subresource. Rules name both in one word; to join them for every request, and to look the new word
 * up, costs more than two look-ups.
 */
class ResourceIndex {
  readonly any: Bits
  private readonly byWord: ValueIndex
  private readonly bySubresource = new Map<string, Map<string, Bits>>()

  constructor(byWord: ValueIndex) {
    this.any = byWord.any
    this.byWord = byWord
    byWord.forEach((word, bits) => {
      const [resource, subresource] = cut(word, '/')
      const known = this.bySubresource.get(resource)
      if (known) known.set(subresource, bits)
      else this.bySubresource.set(resource, new Map([[subresource, bits]]))
    })
  }

  of(request: RequestAttributes): Bits {
    const { resource, subresource } = request
    if (subresource === '') return this.byWord.of(resource)
    // A resource with a slash of its own, as no URL gives it, is divided elsewhere.
    if (resource.includes('/')) return this.byWord.of(resourceWithSubresource(request))
    return this.bySubresource.get(resource)?.get(subresource) ?? this.any
  }
}

/** Clauses by path: all of them, those that name it, and those that name something above it. */
class PathIndex {
  /** Clauses that take any path. */
  readonly any: Bits
  private readonly known = new BoundedCache<string, Bits>(KNOWN_PATHS)
  private readonly exact: ValueIndex
  private readonly below: ValueIndex
  private readonly none: Bits

  constructor(clauses: ClauseTable<PathDimensions>) {
    this.none = clauses.noBits()
    this.any = clauses.bitsWhere(({ nonResourceURLs }) => nonResourceURLs.includes(WILDCARD))
    this.exact = new ValueIndex(this.any)
    this.below = new ValueIndex(this.none)
    clauses.forEach((clause, number) => {
      for (const entry of clause.nonResourceURLs) {
        this.exact.add(entry, number)
        this.below.add(pathPrefix(entry), number)
      }
    })
  }

  of(path: string): Bits {
    let bits = this.known.get(path)
    if (bits === undefined) {
      bits = this.find(path)
      this.known.set(path, bits)
    }
    return bits
  }

  private find(path: string): Bits {
    const bits = this.exact.of(path).slice()
    // Every prefix ends with a slash.
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      orInto(bits, this.below.get(path.slice(0, slash + 1)))
    }
    return bits
  }
}

/** Clauses by the identity that their subjects name. */
class SubjectIndex {
  private readonly everyone: Bits
  private readonly byUser: ValueIndex
  private readonly byGroup: ValueIndex
  private readonly byNamespace: ValueIndex
  /** Namespaces with a colon occur only in objects that no server has accepted. */
  private readonly byOddPrefix: { prefix: string; clause: number }[] = []

  constructor(clauses: ClauseTable<unknown>) {
    const none = clauses.noBits()
    this.everyone = clauses.noBits()
    this.byUser = new ValueIndex(none)
    this.byGroup = new ValueIndex(none)
    this.byNamespace = new ValueIndex(none)
    clauses.subjects.forEach((subjects, clause) => {
      for (const subject of subjects) this.add(subject, clause)
    })
  }

  /** Writes the clauses whose subjects are this identity. */
  collect(identity: Identity, bits: Bits): void {
    bits.set(this.everyone)
    orInto(bits, this.byUser.get(identity.name))
    for (const group of identity.groups) orInto(bits, this.byGroup.get(group))
    if (identity.name.startsWith(SERVICE_ACCOUNT_PREFIX)) {
      const end = identity.name.indexOf(':', SERVICE_ACCOUNT_PREFIX.length)
      if (end >= 0) orInto(bits, this.byNamespace.get(identity.name.slice(SERVICE_ACCOUNT_PREFIX.length, end)))
      for (const { prefix, clause } of this.byOddPrefix) if (identity.name.startsWith(prefix)) setBit(bits, clause)
    }
  }

  private add(subject: Subject, clause: number): void {
    if (subject.kind === 'User' && subject.user) this.addName(this.byUser, subject.user.name, clause)
    else if (subject.kind === 'Group' && subject.group) this.addName(this.byGroup, subject.group.name, clause)
    else if (subject.kind === 'ServiceAccount' && subject.serviceAccount) {
      const { namespace, name } = subject.serviceAccount
      const prefix = `${SERVICE_ACCOUNT_PREFIX}${namespace}:`
      if (name !== WILDCARD) this.byUser.add(prefix + name, clause)
      else if (namespace.includes(':')) this.byOddPrefix.push({ prefix, clause })
      else this.byNamespace.add(namespace, clause)
    }
  }

  private addName(index: ValueIndex, name: string, clause: number): void {
    if (name === WILDCARD) setBit(this.everyone, clause)
    else index.add(name, clause)
  }
}

/** A key for a map: two characters a word. */
function textOfBits(bits: Bits): string {
  let text = ''
  for (let w = 0; w < bits.length; w++) text += String.fromCharCode(at(bits, w) & 0xffff, at(bits, w) >>> 16)
  return text
}

function setBit(bits: Bits, number: number): void {
  bits[number >> 5] = at(bits, number >> 5) | (1 << (number & 31))
}

function orInto(bits: Bits, more: Bits | undefined): void {
  if (more) for (let w = 0; w < bits.length; w++) bits[w] = at(bits, w) | at(more, w)
}

/** Indices here are always in range; the type system cannot know. */
function at(array: Int32Array, index: number): number {
  return array[index] as number
}
