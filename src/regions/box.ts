/**
 * Boxes: one set per dimension, holding every combination of their members. Lists of boxes are disjoint and over the same
 * dimensions.
 */
import {
  describableParts,
  has,
  intersect,
  isDescribable,
  isEmpty,
  meets,
  type StringSet,
  subtract,
  union,
  unionOf,
} from './string-set.ts'

export type Box = readonly StringSet[]

export function boxContains(box: Box, point: readonly string[]): boolean {
  return box.every((set, dimension) => has(set, coordinate(point, dimension)))
}

export function isEmptyBox(box: Box): boolean {
  return box.some(isEmpty)
}

/** Whether two boxes have anything in common. */
export function boxesMeet(a: Box, b: Box): boolean {
  return a.every((set, dimension) => meets(set, coordinate(b, dimension)))
}

/** What two boxes have in common: one box, or none. */
export function intersectBoxes(a: Box, b: Box): Box[] {
  const common = a.map((set, dimension) => intersect(set, coordinate(b, dimension)))
  return isEmptyBox(common) ? [] : [common]
}

/** `a` without `b`: for each dimension what sticks out in it and in no dimension before. */
export function subtractBox(a: Box, b: Box): Box[] {
  if (!boxesMeet(a, b)) return [a]
  const [common] = intersectBoxes(a, b)
  if (!common) return [a]
  return a.flatMap((set, dimension) => {
    const out = subtract(set, coordinate(common, dimension))
    return isEmpty(out) ? [] : [[...common.slice(0, dimension), out, ...a.slice(dimension + 1)]]
  })
}

/**
 * Boxes with the same members, described as shortly as merging finds: every set can be written as one list, and no two
 * boxes that differ in one dimension could be one.
 */
export function mergeBoxes(boxes: readonly Box[]): Box[] {
  let merged = boxes.filter((box) => !isEmptyBox(box)).flatMap(describableBoxes)
  const dimensions = merged[0]?.length ?? 0
  let dimension = 0
  for (let unchanged = 0; unchanged < dimensions; dimension = (dimension + 1) % dimensions) {
    const before = merged.length
    merged = mergeAlong(merged, dimension)
    unchanged = merged.length < before ? 1 : unchanged + 1
  }
  return merged
}

function describableBoxes(box: Box): Box[] {
  return box.reduce<Box[]>(
    (beginnings, set) => describableParts(set).flatMap((part) => beginnings.map((beginning) => [...beginning, part])),
    [[]],
  )
}

/** Joins boxes that differ in this dimension only. */
function mergeAlong(boxes: readonly Box[], dimension: number): Box[] {
  const alikeElsewhere = new Map<string, { first: Box; sets: StringSet[] }>()
  for (const box of boxes) {
    const key = boxKey(box.toSpliced(dimension, 1))
    const alike = alikeElsewhere.get(key)
    if (alike) alike.sets.push(coordinate(box, dimension))
    else alikeElsewhere.set(key, { first: box, sets: [coordinate(box, dimension)] })
  }
  return [...alikeElsewhere.values()].flatMap(({ first, sets }) =>
    joinSets(sets).map((set) => first.with(dimension, set)),
  )
}

/** The union of the sets in as few sets as joining finds, each of which one list can describe. */
export function joinSets(sets: readonly StringSet[]): StringSet[] {
  const whole = unionOf(sets)
  if (isDescribable(whole)) return [whole]
  const joined: StringSet[] = []
  for (const set of sets) {
    let grown = set
    for (let i = 0; i < joined.length; ) {
      const candidate = union(coordinate(joined, i), grown)
      if (isDescribable(candidate)) {
        joined.splice(i, 1)
        grown = candidate
        i = 0
      } else i++
    }
    joined.push(grown)
  }
  return joined
}

/** Equal for equal boxes, and only for them. */
export function boxKey(box: Box): string {
  return box.map((set) => set.key).join('\n')
}

function coordinate<T>(list: readonly T[], dimension: number): T {
  const member = list[dimension]
  if (member === undefined) throw new Error(`no dimension ${dimension}`)
  return member
}
