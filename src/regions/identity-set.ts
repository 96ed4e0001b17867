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
import { compareBytes } from '../apf/text.ts'
import { waysBy } from './decision-diagram.ts'
import { type IdentityCube, type IdentityFacts, subjectIdentities } from './identity.ts'
import { type Diagram, Diagrams } from './identity-diagram.ts'
import { USERS } from './spaces.ts'
import { describableParts, everything, isEmpty, type StringSet, unionOf } from './string-set.ts'

const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts'
const NAMESPACE_GROUP_PREFIX = `${ALL_SERVICE_ACCOUNTS}:`

/** What a list of subjects says, as a set of identities. */
export interface SubjectSet {
  readonly id: number
  readonly diagram: Diagram
  /** All identities, given the facts. */
  readonly isEveryone: boolean
  /** The literals of which one must hold, ascending. */
  readonly literals: readonly number[]
  /** None of them is about groups. */
  readonly isByName: boolean
}

/** Equal sets are one object, as far as the facts do not make sets equal that are about different groups. */
export interface IdentitySet {
  readonly id: number
  /** Of different users, all users together. */
  readonly parts: readonly Part[]
}

interface Part {
  users: StringSet
  /** Diagrams about groups alone: those that these users may be in, and the ones among them that are in the set. */
  possible: Diagram
  members: Diagram
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
  readonly #byDiagram = new Map<Diagram, IdentitySet>()
  readonly #byKey = new Map<string, IdentitySet>()
  readonly #cubes = new Map<IdentitySet, IdentityCube[]>()

  constructor(facts: IdentityFacts) {
    this.#facts = facts
  }

  subjects(subjects: readonly Subject[]): SubjectSet {
    const key = JSON.stringify(subjects)
    const known = this.#subjects.get(key)
    if (known) return known
    const literals = new Set<number>()
    let everyone = false
    for (const cube of subjects.flatMap(subjectIdentities)) {
      const [group] = cube.has
      const [user] = cube.users.exact.keys()
      const [family] = cube.users.families.keys()
      if (group !== undefined) literals.add(this.#number({ kind: 'group', name: group }))
      else if (user !== undefined) literals.add(this.#number({ kind: 'user', name: user }))
      else if (family !== undefined) literals.add(this.#number({ kind: 'family', name: family }))
      else everyone = true
    }
    const both = [ALL_AUTHENTICATED, ALL_UNAUTHENTICATED].map((name) => this.#numbers.get(`group ${name}`))
    const isEveryone = everyone || both.every((literal) => literal !== undefined && literals.has(literal))
    const sorted = [...literals].sort((a, b) => a - b)
    const set: SubjectSet = {
      id: this.#subjects.size,
      diagram: isEveryone ? this.diagrams.all : this.#anyOf(sorted),
      isEveryone,
      literals: isEveryone ? [] : sorted,
      isByName: !isEveryone && sorted.every((literal) => this.#literals[literal]?.kind !== 'group'),
    }
    this.#subjects.set(key, set)
    return set
  }

  /** All identities. */
  everyone(): SubjectSet {
    return this.subjects([{ kind: 'User', user: { name: WILDCARD }, group: null, serviceAccount: null }])
  }

  /** Whether some identity may be in both: anybody may be in any group. */
  mayMeet(a: SubjectSet, b: SubjectSet): boolean {
    if (!a.isByName || !b.isByName)
      return (a.isEveryone || a.literals.length > 0) && (b.isEveryone || b.literals.length > 0)
    return a.literals.some((literal) => b.literals.some((other) => this.#namesMeet(literal, other)))
  }

  #namesMeet(a: number, b: number): boolean {
    return a === b || this.#isAmong(a, b) || this.#isAmong(b, a)
  }

  /** Whether a literal about user names is narrower than one about a family of them. */
  #isAmong(narrow: number, wide: number): boolean {
    const inner = this.#literals[narrow]
    const outer = this.#literals[wide]
    if (!inner || inner.kind === 'group' || outer?.kind !== 'family') return false
    return inner.name.startsWith(outer.name)
  }

  /** Whether everybody in `part` is surely in `whole`. */
  isPart(part: SubjectSet, whole: SubjectSet): boolean {
    if (whole.isEveryone) return true
    if (part.isEveryone) return false
    return part.literals.every((literal) =>
      whole.literals.some((other) => literal === other || this.#isAmong(literal, other)),
    )
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

  #anyOf(literals: readonly number[]): Diagram {
    const { diagrams } = this
    return literals.reduceRight<Diagram>((rest, literal) => diagrams.test(literal, diagrams.all, rest), diagrams.none)
  }

  #number(literal: Literal): number {
    const key = `${literal.kind} ${literal.name}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#literals.push(literal)
    this.#numbers.set(key, this.#literals.length - 1)
    return this.#literals.length - 1
  }

  /** The possible identities in a set; null where there are none. */
  setOf(diagram: Diagram): IdentitySet | null {
    const known = this.#byDiagram.get(diagram) ?? this.#canonical(diagram)
    this.#byDiagram.set(diagram, known)
    return known.parts.every(({ members }) => members === this.diagrams.none) ? null : known
  }

  #canonical(diagram: Diagram): IdentitySet {
    const { families, users } = this.#namesThatMatter(diagram)
    const pairs = new Map<string, Omit<Part, 'users'>>()
    const partOf = (name: string | null, isFamily: boolean) => {
      const possible = this.#possibleGroups(name, isFamily)
      const members = this.diagrams.and(
        possible,
        this.diagrams.ofUser(diagram, (literal) => this.#applies(literal, name, isFamily)),
      )
      const key = `${possible.id} ${members.id}`
      const part = pairs.get(key) ?? { possible, members }
      pairs.set(key, part)
      return part
    }
    const ways = waysBy(
      USERS,
      partOf(null, false),
      new Map(families.map((name) => [name, partOf(name, true)])),
      new Map(users.map((name) => [name, partOf(name, false)])),
    )
    const parts = ways.map(({ set, to }) => ({ ...to, users: set })).filter(({ users: some }) => !isEmpty(some))
    const key = parts
      .filter(({ members }) => members !== this.diagrams.none)
      .map(({ users: some, possible, members }) => `${some.key} ${possible.id} ${members.id}`)
      .sort()
      .join('\n')
    const known = this.#byKey.get(key)
    if (known) return known
    const made = { id: this.#byKey.size, parts: parts.sort(unnamedFirst) }
    this.#byKey.set(key, made)
    return made
  }

  /** User names that the set or the facts tell from others. */
  #namesThatMatter(diagram: Diagram): { families: string[]; users: string[] } {
    const families = new Set<string>()
    const users = new Set<string>()
    if (this.#facts === 'authenticated') {
      families.add(SERVICE_ACCOUNT_PREFIX)
      users.add(ANONYMOUS)
    }
    for (const number of this.diagrams.literalsOf(diagram)) {
      const literal = this.#literals[number]
      if (literal?.kind === 'user') users.add(literal.name)
      else if (literal?.kind === 'family') families.add(literal.name)
      else if (literal && this.#facts === 'authenticated' && literal.name.startsWith(NAMESPACE_GROUP_PREFIX)) {
        families.add(`${SERVICE_ACCOUNT_PREFIX}${literal.name.slice(NAMESPACE_GROUP_PREFIX.length)}:`)
      }
    }
    return { families: [...families].sort(compareBytes), users: [...users].sort(compareBytes) }
  }

  /**
   * Whether a literal about user names holds for a name, or for names of a family that nothing else tells apart; null stands
   * for a name that nothing tells apart.
   */
  #applies(number: number, name: string | null, isFamily: boolean): boolean {
    const literal = this.#literals[number]
    if (name === null) return false
    if (literal?.kind === 'family') return name.startsWith(literal.name)
    return literal?.kind === 'user' && !isFamily && literal.name === name
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
    const known = this.#cubes.get(set)
    if (known) return known
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
    this.#cubes.set(set, cubes)
    return cubes
  }

  /** Without the literals that are not needed to stay in the part's members. */
  #shortened(way: readonly (readonly [number, boolean])[], { possible, members }: Part) {
    const { diagrams } = this
    let kept = [...way]
    const isGiven = (literal: number) => {
      const name = this.#literals[literal]?.name
      return name === ALL_AUTHENTICATED || name === ALL_UNAUTHENTICATED
    }
    const leastWantedFirst = way.toSorted(
      ([a, inA], [b, inB]) => Number(isGiven(b)) - Number(isGiven(a)) || Number(inA) - Number(inB) || b - a,
    )
    for (const dropped of leastWantedFirst) {
      const fewer = kept.filter((literal) => literal !== dropped)
      const meant = diagrams.and(this.#conjunction(fewer), possible)
      if (diagrams.without(meant, members) === diagrams.none) kept = fewer
    }
    return kept
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

/** Users told apart by no name come first, then whole families: what is found for them often holds for the others too. */
function unnamedFirst(a: Part, b: Part): number {
  const rank = ({ users }: Part) => (users.outside ? 0 : users.families.size > 0 ? 1 : 2)
  return rank(a) - rank(b) || compareBytes(a.users.key, b.users.key)
}

function shorter(needed: readonly Part[], widened: readonly Part[]): StringSet {
  const sets = [needed, widened].map((parts) => unionOf(parts.map(({ users }) => users)))
  const [narrow = everything(USERS), wide = narrow] = sets
  const length = ({ exact, families }: StringSet) => exact.size + families.size
  return length(wide) < length(narrow) ? wide : narrow
}
