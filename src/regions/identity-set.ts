/**
 * Sets of identities with one form for equal sets. The lists of subjects of FlowSchemas become decision diagrams over literals;
 * what comes out of them is sorted by user name here, as nobody has two, and brought in line with the facts about identities.
 */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  SERVICE_ACCOUNT_PREFIX,
  serviceAccountOf,
} from '../apf/identity.ts'
import { WILDCARD } from '../apf/match.ts'
import type { Subject } from '../apf/objects.ts'
import { userSubject } from '../apf/subjects.ts'
import { compareBytes } from '../apf/text.ts'
import { type IdentityCube, type IdentityFacts, subjectIdentities } from './identity.ts'
import { type Diagram, Diagrams } from './identity-diagram.ts'
import type { IdentitySet, NameClass, NamePart } from './name-classes.ts'
import { USERS } from './spaces.ts'
import { describableParts, everything, outermostFirst, type StringSet, unionOf } from './string-set.ts'

const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'
const NAMESPACE_GROUP_PREFIX = `${ALL_SERVICE_ACCOUNTS}:`

/** What a list of subjects says. */
export interface SubjectSet {
  readonly id: number
  /** All identities, given the facts. */
  readonly isEveryone: boolean
  /** The set as a diagram. */
  readonly diagram: Diagram
  /** Who is in it by a group. */
  readonly byGroup: Diagram
  /** Literals about user names and about groups, one of which must hold; ascending, both empty for everyone and for nobody. */
  readonly names: readonly number[]
  readonly groups: readonly number[]
}

type Literal =
  | { kind: 'group'; name: string }
  /** `name` is a user name. */
  | { kind: 'user'; name: string }
  /** `name` is a family of user names. */
  | { kind: 'family'; name: string }

/** Makes and knows all sets of identities of one question. Literals are numbered in the order in which they are met. */
export class IdentitySets {
  readonly diagrams = new Diagrams((literal) => this.#literals[literal]?.kind !== 'group')
  readonly #facts: IdentityFacts
  readonly #literals: Literal[] = []
  readonly #numbers = new Map<string, number>()
  readonly #subjects = new Map<string, SubjectSet>()

  constructor(facts: IdentityFacts) {
    this.#facts = facts
  }

  subjects(subjects: readonly Subject[]): SubjectSet {
    const key = JSON.stringify(subjects)
    const known = this.#subjects.get(key)
    if (known) return known
    const set = this.#subjectSet(subjects)
    this.#subjects.set(key, set)
    return set
  }

  #subjectSet(subjects: readonly Subject[]): SubjectSet {
    const names = new Set<number>()
    const groups = new Set<number>()
    let isEveryone = false
    for (const cube of subjects.flatMap(subjectIdentities)) {
      const [group] = cube.has
      const [user] = cube.users.exact.keys()
      const [family] = cube.users.families.keys()
      if (group !== undefined) groups.add(this.#number({ kind: 'group', name: group }))
      else if (user !== undefined) names.add(this.#number({ kind: 'user', name: user }))
      else if (family !== undefined) names.add(this.#number({ kind: 'family', name: family }))
      else isEveryone = true
    }
    const either = [ALL_AUTHENTICATED, ALL_UNAUTHENTICATED].map((name) => this.#numbers.get(`group ${name}`))
    if (either.every((literal) => literal !== undefined && groups.has(literal))) isEveryone = true
    const id = this.#subjects.size
    const { all } = this.diagrams
    if (isEveryone) return { id, isEveryone, diagram: all, byGroup: all, names: [], groups: [] }
    const diagram = this.#anyOf([...names, ...groups])
    const byGroup = this.#anyOf([...groups])
    return { id, isEveryone, diagram, byGroup, names: ascending(names), groups: ascending(groups) }
  }

  /** All identities. */
  everyone(): SubjectSet {
    return this.subjects([userSubject(WILDCARD)])
  }

  /** Whether some identity may be in both, whatever the facts say: anybody may be in any group. */
  mayMeet(a: SubjectSet, b: SubjectSet): boolean {
    if (a.isEveryone || b.isEveryone || a.groups.length > 0 || b.groups.length > 0) return true
    return a.names.some((name) => b.names.some((other) => this.#isAmong(name, other) || this.#isAmong(other, name)))
  }

  /** Whether everybody in `part` is in `whole`, as far as literals tell. */
  isPart(part: SubjectSet, whole: SubjectSet): boolean {
    if (whole.isEveryone) return true
    if (part.isEveryone || !part.groups.every((literal) => whole.groups.includes(literal))) return false
    return part.names.every((name) => whole.names.some((other) => this.#isAmong(name, other)))
  }

  /** Whether a literal about user names says the same as another or is about a name or family inside of its family. */
  #isAmong(narrow: number, wide: number): boolean {
    if (narrow === wide) return true
    const inner = this.#literals[narrow]
    const outer = this.#literals[wide]
    return outer?.kind === 'family' && inner !== undefined && inner.name.startsWith(outer.name)
  }

  /** Whether everybody whom `part` takes by a group is in `whole`, too, as far as literals tell. */
  isPartByGroup(part: SubjectSet, whole: SubjectSet): boolean {
    if (whole.isEveryone) return true
    return !part.isEveryone && part.groups.every((literal) => whole.groups.includes(literal))
  }

  /**
   * The user names that these subjects, the question and the facts tell apart: all others first, then families, the outermost
   * first, then single names.
   * @param asked  the identities that the question is about
   */
  nameClasses(subjects: Iterable<SubjectSet>, asked: Diagram): NameClass[] {
    const literals = new Set(this.diagrams.literalsOf(asked))
    for (const { names, groups } of subjects) {
      for (const literal of names) literals.add(literal)
      for (const literal of groups) literals.add(literal)
    }
    const { families, users } = this.#namesThatMatter(literals)
    return [
      this.#nameClass(null, false, asked),
      ...families.map((name) => this.#nameClass(name, true, asked)),
      ...users.map((name) => this.#nameClass(name, false, asked)),
    ]
  }

  #nameClass(name: string | null, isFamily: boolean, asked: Diagram): NameClass {
    const possible = this.#possibleGroups(name, isFamily)
    const literals: number[] = []
    if (name !== null) {
      const around = isFamily ? [name, ...USERS.enclosing(name)] : USERS.familiesOf(name)
      for (const family of around) {
        const literal = this.#numbers.get(`family ${family}`)
        if (literal !== undefined) literals.push(literal)
      }
      const own = isFamily ? undefined : this.#numbers.get(`user ${name}`)
      if (own !== undefined) literals.push(own)
    }
    const ofClass = this.diagrams.ofUser(asked, (literal) => literals.includes(literal))
    return { name, isFamily, literals, possible, asked: this.diagrams.and(possible, ofClass) }
  }

  /** The set of identities in any of the cubes, as a diagram. */
  diagramOf(cubes: readonly IdentityCube[]): Diagram {
    const { diagrams } = this
    return cubes.reduce((union, { users, has, lacks }) => {
      const inGroups = has.reduce((rest, name) => diagrams.and(rest, this.#group(name)), this.#usersDiagram(users))
      return diagrams.or(
        union,
        lacks.reduce((rest, name) => diagrams.without(rest, this.#group(name)), inGroups),
      )
    }, diagrams.none)
  }

  #usersDiagram({ outside, families, exact }: StringSet): Diagram {
    const { diagrams } = this
    const answer = (inside: boolean) => diagrams.leaf(inside ? 1 : 0)
    let diagram: Diagram = answer(outside)
    // Outermost families come first, single names last: the innermost decides.
    for (const [name, inside] of families) {
      diagram = diagrams.override(this.#literalSet({ kind: 'family', name }), answer(inside), diagram)
    }
    for (const [name, inside] of exact) {
      diagram = diagrams.override(this.#literalSet({ kind: 'user', name }), answer(inside), diagram)
    }
    return diagram
  }

  #group(name: string): Diagram {
    return this.#literalSet({ kind: 'group', name })
  }

  #literalSet(literal: Literal): Diagram {
    return this.diagrams.literal(this.#number(literal))
  }

  #anyOf(literals: Iterable<number>): Diagram {
    const { diagrams } = this
    return ascending(literals).reduceRight<Diagram>(
      (rest, literal) => diagrams.test(literal, diagrams.all, rest),
      diagrams.none,
    )
  }

  #number(literal: Literal): number {
    const key = `${literal.kind} ${literal.name}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#literals.push(literal)
    this.#numbers.set(key, this.#literals.length - 1)
    return this.#literals.length - 1
  }

  /** Whether anybody possible is in a set. */
  isPossible(diagram: Diagram): boolean {
    return this.nameClasses([], diagram).some(({ asked }) => asked !== this.diagrams.none)
  }

  /** User names that the literals or the facts tell from others. */
  #namesThatMatter(literals: Iterable<number>): { families: string[]; users: string[] } {
    const families = new Set<string>()
    const users = new Set<string>()
    if (this.#facts === 'authenticated') {
      families.add(SERVICE_ACCOUNT_PREFIX)
      users.add(ANONYMOUS)
    }
    for (const number of literals) {
      const literal = this.#literals[number]
      if (literal?.kind === 'user') users.add(literal.name)
      else if (literal?.kind === 'family') families.add(literal.name)
      else if (literal && this.#facts === 'authenticated' && literal.name.startsWith(NAMESPACE_GROUP_PREFIX)) {
        families.add(`${SERVICE_ACCOUNT_PREFIX}${literal.name.slice(NAMESPACE_GROUP_PREFIX.length)}:`)
      }
    }
    return { families: [...families].sort(outermostFirst), users: [...users].sort(compareBytes) }
  }

  /** The groups that the users of a name, of a family, or (null) of no name in particular can be in by the facts. */
  #possibleGroups(name: string | null, isFamily: boolean): Diagram {
    const { diagrams } = this
    const authenticated = this.#group(ALL_AUTHENTICATED)
    const unauthenticated = this.#group(ALL_UNAUTHENTICATED)
    const either = diagrams.or(authenticated, unauthenticated)
    if (this.#facts === 'any') return either
    if (name === ANONYMOUS) return diagrams.without(unauthenticated, authenticated)
    if (name === null || !name.startsWith(SERVICE_ACCOUNT_PREFIX)) {
      return diagrams.without(either, diagrams.and(authenticated, unauthenticated))
    }
    const serviceAccount = diagrams.and(
      this.#group(ALL_SERVICE_ACCOUNTS),
      diagrams.without(authenticated, unauthenticated),
    )
    if (isFamily && name === SERVICE_ACCOUNT_PREFIX) return serviceAccount
    const account = serviceAccountOf(isFamily ? `${name}default` : name)
    if (account === null) return diagrams.none
    const own = `group ${NAMESPACE_GROUP_PREFIX}${account.namespace}`
    // A group that nobody asks for tells nobody apart.
    const number = this.#numbers.get(own)
    return number === undefined ? serviceAccount : diagrams.and(serviceAccount, diagrams.literal(number))
  }

  /**
   * The set as cubes, as few and as short as a greedy search finds. They may overlap, and say nothing of what the facts
   * rule out anyway.
   */
  cubesOf(set: IdentitySet): IdentityCube[] {
    const { diagrams } = this
    const cubes: IdentityCube[] = []
    const missing = set.parts.map(({ members }) => members)
    for (const [index, part] of set.parts.entries()) {
      for (;;) {
        const way = diagrams.shortestWay(missing[index] ?? diagrams.none)
        if (!way) break
        const literals = this.#shortened(way, part)
        const cube = this.#conjunction(literals)
        const covered = set.parts.filter(({ possible, members }) => {
          const meant = diagrams.and(cube, possible)
          return meant !== diagrams.none && diagrams.without(meant, members) === diagrams.none
        })
        const indifferent = set.parts.filter(({ possible }) => diagrams.and(cube, possible) === diagrams.none)
        const users = shorter(covered, [...covered, ...indifferent])
        const groupsWith = (value: boolean) =>
          literals.flatMap(([literal, wanted]) => (wanted === value ? (this.#literals[literal]?.name ?? []) : []))
        for (const described of describableParts(users)) {
          cubes.push({
            users: described,
            has: groupsWith(true).sort(compareBytes),
            lacks: groupsWith(false).sort(compareBytes),
          })
        }
        for (const other of covered) {
          const at = set.parts.indexOf(other)
          missing[at] = diagrams.without(missing[at] ?? diagrams.none, cube)
        }
      }
    }
    return cubes
  }

  /** Without the literals that are not needed to stay in the part's members. */
  #shortened(way: readonly (readonly [number, boolean])[], { possible, members }: NamePart) {
    const kept = new Map(way)
    const isGiven = (literal: number) => {
      const name = this.#literals[literal]?.name
      return name === ALL_AUTHENTICATED || name === ALL_UNAUTHENTICATED
    }
    const leastWantedFirst = way.toSorted(
      ([a, inA], [b, inB]) => Number(isGiven(b)) - Number(isGiven(a)) || Number(inA) - Number(inB) || b - a,
    )
    for (const [literal, value] of leastWantedFirst) {
      kept.delete(literal)
      if (!this.diagrams.holdsWhere(kept, possible, members)) kept.set(literal, value)
    }
    return way.filter(([literal]) => kept.has(literal))
  }

  #conjunction(literals: readonly (readonly [number, boolean])[]): Diagram {
    const { diagrams } = this
    return literals.reduceRight<Diagram>(
      (rest, [literal, value]) =>
        value ? diagrams.test(literal, rest, diagrams.none) : diagrams.test(literal, diagrams.none, rest),
      diagrams.all,
    )
  }
}

function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}

function shorter(needed: readonly NamePart[], widened: readonly NamePart[]): StringSet {
  const sets = [needed, widened].map((parts) => unionOf(parts.map(({ users }) => users)))
  const [narrow = everything(USERS), wide = narrow] = sets
  const length = ({ exact, families }: StringSet) => exact.size + families.size
  return length(wide) < length(narrow) ? wide : narrow
}
