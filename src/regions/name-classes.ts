/** Classes of user names that are treated alike, and the sets of identities that are told by them. */
import { compareBytes } from '../apf/text.ts'
import type { Diagram } from './identity-diagram.ts'
import { USERS } from './spaces.ts'
import { type StringSet, setOfDifferences } from './string-set.ts'

/** All users of one name, of a family but for its names in classes of their own, or all who are in no other class. */
export interface NameClass {
  /** The name or family; null for all others. */
  readonly name: string | null
  readonly isFamily: boolean
  /** Literals about user names that hold. */
  readonly literals: readonly number[]
  /** The groups that they can be in, by the facts. */
  readonly possible: Diagram
  /** Those of them that are asked about. */
  readonly asked: Diagram
}

/** Identities by user name. */
export interface IdentitySet {
  /** Of different users, all users together. */
  readonly parts: readonly NamePart[]
}

export interface NamePart {
  users: StringSet
  /** Diagrams about groups alone: those that these users may be in, and the ones among them that are in the set. */
  possible: Diagram
  members: Diagram
}

/** All user names in classes, and which class is the innermost around which. */
export class NameClasses {
  readonly classes: readonly NameClass[]
  /** By index of a class; the first one, which is around all, is around itself. */
  readonly #around: readonly number[]

  /** @param classes  all others first, then families, the outermost first, then single names by bytes */
  constructor(classes: readonly NameClass[]) {
    const indexOf = new Map<string, number>()
    this.classes = classes
    this.#around = classes.map(({ name, isFamily }, index) => {
      if (name === null) return index
      const families = isFamily ? USERS.enclosing(name) : USERS.familiesOf(name)
      if (isFamily) indexOf.set(name, index)
      for (const family of families) {
        const around = indexOf.get(family)
        if (around !== undefined) return around
      }
      return 0
    })
  }

  /** Without the classes that differ in nothing from those around them. */
  distinct(traits: (one: NameClass) => readonly object[]): NameClasses {
    const all = this.classes.map(traits)
    const kept = this.classes.filter((_, index) => {
      const theirs = all[this.#around[index] ?? 0]
      return index === 0 || all[index]?.some((trait, place) => trait !== theirs?.[place])
    })
    return new NameClasses(kept)
  }

  /**
   * The set of identities that are of one of these classes and in its groups.
   * @param none  the groups of classes that are not among the members
   */
  setOf(members: ReadonlyMap<NameClass, Diagram>, none: Diagram): IdentitySet {
    const parts = new Map<Diagram, Map<Diagram, OpenPart>>()
    const partOf: OpenPart[] = []
    for (const [index, one] of this.classes.entries()) {
      const { possible, name, isFamily } = one
      const own = members.get(one) ?? none
      const alike = parts.get(possible) ?? new Map<Diagram, OpenPart>()
      if (alike.size === 0) parts.set(possible, alike)
      const part = alike.get(own) ?? openPart(possible, own)
      if (part.isNew) alike.set(own, part)
      part.isNew = false
      partOf.push(part)
      if (name === null) {
        part.outside = true
        continue
      }
      const around = partOf[this.#around[index] ?? 0]
      if (!around || around === part) continue
      const answers = isFamily ? 'families' : 'exact'
      part[answers].set(name, true)
      around[answers].set(name, false)
    }
    return {
      parts: [...new Set(partOf)]
        .map(({ possible, members: groups, outside, families, exact }) => ({
          users: setOfDifferences(USERS, outside, families, exact),
          possible,
          members: groups,
        }))
        .sort(unnamedFirst),
    }
  }
}

interface OpenPart extends Omit<NamePart, 'users'> {
  isNew: boolean
  outside: boolean
  families: Map<string, boolean>
  exact: Map<string, boolean>
}

function openPart(possible: Diagram, members: Diagram): OpenPart {
  return { possible, members, isNew: true, outside: false, families: new Map(), exact: new Map() }
}

/** Users told apart by no name come first, then whole families: what is found for them often holds for the others too. */
function unnamedFirst(a: NamePart, b: NamePart): number {
  const rank = ({ users }: NamePart) => (users.outside ? 0 : users.families.size > 0 ? 1 : 2)
  return rank(a) - rank(b) || compareBytes(a.users.key, b.users.key)
}
