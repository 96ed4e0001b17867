/**
 * Sets of strings, exactly: finite and co-finite sets, and those made of whole families of strings such as "everything
 * below /healthz/". All operations are closed, and equal sets have equal keys.
 */
import { compareBytes } from '../apf/text.ts'

/**
 * The strings of one dimension and the families they come in. Two families are nested or disjoint, and no finite number
 * of smaller families fills one: this makes the form of a set unique.
 */
export interface StringSpace {
  /** Families that hold the value, the innermost first. */
  familiesOf(value: string): readonly string[]
  /** Families around a family, the innermost first, itself left out. */
  enclosing(family: string): readonly string[]
  /** Whether single strings and families must stand in different descriptions. */
  describedApart: boolean
}

/**
 * A set says for each family and each single string that it names whether it is in; anything else follows its innermost
 * named family, or `outside` if there is none. Only differences are kept: a family or string that would follow anyway is
 * not named.
 */
export interface StringSet {
  readonly space: StringSpace
  readonly outside: boolean
  readonly families: ReadonlyMap<string, boolean>
  readonly exact: ReadonlyMap<string, boolean>
  /** Equal for equal sets of one space, and only for them. */
  readonly key: string
}

const NONE: ReadonlyMap<string, boolean> = new Map()

export function everything(space: StringSpace): StringSet {
  return makeSet(space, true, NONE, NONE)
}

export function nothing(space: StringSpace): StringSet {
  return makeSet(space, false, NONE, NONE)
}

export function only(space: StringSpace, values: Iterable<string>, families: Iterable<string> = []): StringSet {
  return makeSet(space, false, allTrue(families), allTrue(values))
}

export function allBut(space: StringSpace, values: Iterable<string>, families: Iterable<string> = []): StringSet {
  return complement(only(space, values, families))
}

function allTrue(names: Iterable<string>): Map<string, boolean> {
  return new Map([...names].map((name) => [name, true]))
}

/** The set with these answers, whatever of them is redundant. */
export function makeSet(
  space: StringSpace,
  outside: boolean,
  families: ReadonlyMap<string, boolean>,
  exact: ReadonlyMap<string, boolean>,
): StringSet {
  const keptFamilies = families.size === 0 ? NONE : withoutRedundant(space, outside, families)
  const exceptions: string[] = []
  for (const [value, inside] of exact) {
    const otherwise = keptFamilies.size === 0 ? outside : innermost(keptFamilies, space.familiesOf(value), outside)
    if (inside !== otherwise) exceptions.push(value)
  }
  if (exceptions.length > 1) exceptions.sort(compareBytes)
  const keptExact =
    exceptions.length === 0 ? NONE : new Map(exceptions.map((value) => [value, exact.get(value) === true]))
  return { space, outside, families: keptFamilies, exact: keptExact, key: setKey(outside, exceptions, keptFamilies) }
}

/**
 * A set in the form in which sets are kept: nothing that is named is redundant.
 * @param families  the outermost first
 * @param exact     by bytes
 */
export function setOfDifferences(
  space: StringSpace,
  outside: boolean,
  families: ReadonlyMap<string, boolean>,
  exact: ReadonlyMap<string, boolean>,
): StringSet {
  return { space, outside, families, exact, key: setKey(outside, exact.keys(), families) }
}

function withoutRedundant(
  space: StringSpace,
  outside: boolean,
  families: ReadonlyMap<string, boolean>,
): ReadonlyMap<string, boolean> {
  const kept = new Map<string, boolean>()
  for (const family of [...families.keys()].sort(outermostFirst)) {
    const inside = families.get(family) === true
    if (inside !== innermost(kept, space.enclosing(family), outside)) kept.set(family, inside)
  }
  return kept
}

/** An order of families. */
export function outermostFirst(a: string, b: string): number {
  return a.length - b.length || compareBytes(a, b)
}

/** Lengths keep names apart, whatever is in them. */
function setKey(outside: boolean, exact: Iterable<string>, families: ReadonlyMap<string, boolean>): string {
  let key = outside ? '+' : '-'
  for (const value of exact) key += `${value.length}:${value}`
  if (families.size > 0) for (const family of families.keys()) key += `/${family.length}:${family}`
  return key
}

/** What the first named of these families says. */
function innermost(named: ReadonlyMap<string, boolean>, families: readonly string[], outside: boolean): boolean {
  for (const family of families) {
    const inside = named.get(family)
    if (inside !== undefined) return inside
  }
  return outside
}

export function has(set: StringSet, value: string): boolean {
  const named = set.exact.get(value)
  if (named !== undefined) return named
  return set.families.size === 0 ? set.outside : innermost(set.families, set.space.familiesOf(value), set.outside)
}

/** Whether the set holds the strings of a family that are not named in any way. */
export function hasFamily(set: StringSet, family: string): boolean {
  return set.families.get(family) ?? innermost(set.families, set.space.enclosing(family), set.outside)
}

export function isEmpty(set: StringSet): boolean {
  return !set.outside && set.families.size === 0 && set.exact.size === 0
}

export function isEverything(set: StringSet): boolean {
  return set.outside && set.families.size === 0 && set.exact.size === 0
}

export function sameSet(a: StringSet, b: StringSet): boolean {
  return a.key === b.key
}

export function complement(set: StringSet): StringSet {
  return makeSet(set.space, !set.outside, negated(set.families), negated(set.exact))
}

function negated(answers: ReadonlyMap<string, boolean>): Map<string, boolean> {
  return new Map([...answers].map(([name, inside]) => [name, !inside]))
}

export function intersect(a: StringSet, b: StringSet): StringSet {
  if (isEverything(a)) return b
  if (isEverything(b)) return a
  return combine(a, b, (inA, inB) => inA && inB)
}

/** Whether two sets have anything in common. */
export function meets(a: StringSet, b: StringSet): boolean {
  if (a.outside && b.outside) return true
  if (a.families.size > 0 || b.families.size > 0) return meetAtNames(a, b) || meetAtNames(b, a)
  const [finite, other] = a.outside ? [b, a] : [a, b]
  for (const value of finite.exact.keys()) if (has(other, value)) return true
  return false
}

/** Whether something that the first set names is in both. */
function meetAtNames(a: StringSet, b: StringSet): boolean {
  for (const [family, inside] of a.families) if (inside && hasFamily(b, family)) return true
  for (const [value, inside] of a.exact) if (inside && has(b, value)) return true
  return false
}

export function union(a: StringSet, b: StringSet): StringSet {
  if (isEmpty(a)) return b
  if (isEmpty(b)) return a
  return combine(a, b, (inA, inB) => inA || inB)
}

/** The union of at least one set. */
export function unionOf(sets: readonly StringSet[]): StringSet {
  const [first, second] = sets
  if (!first) throw new Error('no set to unite')
  if (!second) return first
  const inAny = (test: (set: StringSet) => boolean) => sets.some(test)
  const families = new Map<string, boolean>()
  const exact = new Map<string, boolean>()
  for (const set of sets) {
    for (const family of set.families.keys())
      families.set(
        family,
        inAny((other) => hasFamily(other, family)),
      )
    for (const value of set.exact.keys())
      exact.set(
        value,
        inAny((other) => has(other, value)),
      )
  }
  return makeSet(
    first.space,
    inAny(({ outside }) => outside),
    families,
    exact,
  )
}

export function subtract(a: StringSet, b: StringSet): StringSet {
  return combine(a, b, (inA, inB) => inA && !inB)
}

function combine(a: StringSet, b: StringSet, answer: (inA: boolean, inB: boolean) => boolean): StringSet {
  const families = new Map<string, boolean>()
  for (const family of [...a.families.keys(), ...b.families.keys()]) {
    families.set(family, answer(hasFamily(a, family), hasFamily(b, family)))
  }
  const exact = new Map<string, boolean>()
  for (const value of [...a.exact.keys(), ...b.exact.keys()]) exact.set(value, answer(has(a, value), has(b, value)))
  return makeSet(a.space, answer(a.outside, b.outside), families, exact)
}

/**
 * Cuts a set into disjoint parts that one list can describe: "these", "these but not those", or "all but these". Something
 * taken back into an excluded family needs a part of its own. None for the empty set.
 */
export function describableParts(set: StringSet): StringSet[] {
  if (isDescribable(set)) return isEmpty(set) ? [] : [set]
  const parts: StringSet[] = []
  let rest = set
  while (!isEmpty(rest)) {
    const part = outermostPart(rest)
    parts.push(part)
    rest = subtract(rest, part)
  }
  return parts
}

/** Whether one list can describe the set; the empty set needs none. */
export function isDescribable(set: StringSet): boolean {
  const { space, outside, families, exact } = set
  if (families.size === 0) return true
  const depthLimit = outside ? 1 : 2
  const isDeep = (around: readonly string[]) => {
    let depth = 1
    for (const family of around) if (families.has(family)) depth++
    return depth > depthLimit
  }
  for (const family of families.keys()) if (isDeep(space.enclosing(family))) return false
  for (const [value, inside] of exact) {
    if (isDeep(space.familiesOf(value)) || (inside && !outside && space.describedApart)) return false
  }
  return true
}

/** The set as far as the second change of answer on the way inwards. */
function outermostPart(set: StringSet): StringSet {
  const { space, outside, families, exact } = set
  if (families.size === 0) return set
  const depthLimit = outside ? 1 : 2
  const depthOf = (around: readonly string[]) => around.filter((family) => families.has(family)).length + 1
  const shallow = (named: ReadonlyMap<string, boolean>, around: (name: string) => readonly string[]) =>
    new Map([...named].filter(([name]) => depthOf(around(name)) <= depthLimit))

  const keptFamilies = shallow(families, (family) => space.enclosing(family))
  const keptExact = shallow(exact, (value) => space.familiesOf(value))
  if (!outside && space.describedApart) {
    for (const [value, inside] of keptExact) if (inside) keptExact.delete(value)
  }
  return makeSet(space, outside, keptFamilies, keptExact)
}
