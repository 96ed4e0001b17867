/** Reads a decoded document field by field; whatever is wrong becomes a problem with its place, and reading goes on. */
import { type FieldPath, formatFieldPath, type Origin, type Problem, placeOf } from '../apf/problem.ts'
import { nearest } from '../apf/suggest.ts'

/** A value of the document with its path, which reads the values inside it. */
export interface Node {
  value: unknown
  path: FieldPath
}

export class FieldReader {
  readonly problems: Problem[] = []
  readonly #origin: Origin
  readonly #code: string

  /** @param code  of all problems */
  constructor(origin: Origin, code: string) {
    this.#origin = origin
    this.#code = code
  }

  placeOf({ path }: Node) {
    return placeOf(this.#origin, path)
  }

  /** Records what is wrong with a value; null, so that a caller can return it. */
  wrong(node: Node, message: string, fix?: string): null {
    this.#problem('error', node, message, fix)
    return null
  }

  warn(node: Node, message: string, fix?: string): void {
    this.#problem('warning', node, message, fix)
  }

  #problem(severity: Problem['severity'], node: Node, message: string, fix: string | undefined): void {
    const path = formatFieldPath(node.path)
    const problem: Problem = {
      code: this.#code,
      severity,
      message: path === '' ? message : `${path}: ${message}`,
      at: this.placeOf(node),
    }
    if (fix !== undefined) problem.fix = fix
    this.problems.push(problem)
  }

  /** The members of an object by name; a member that is none of the known ones is a problem of its own. */
  members<Name extends string>(node: Node, known: readonly Name[], what: string): Members<Name> | null {
    const { value, path } = node
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.wrong(node, `expected ${what}, found ${kindOf(value)}`)
    }
    const members: Members<Name> = new Map()
    for (const [key, member] of Object.entries(value)) {
      const name = known.find((candidate) => candidate === key)
      const child = { value: member, path: [...path, key] }
      if (name !== undefined) members.set(name, child)
      else this.#unknownMember(child, key, known)
    }
    return members
  }

  #unknownMember(node: Node, key: string, known: readonly string[]): void {
    const meant = nearest(key, known)
    const fix = meant === null ? `the fields here are ${known.join(', ')}` : `did you mean ${meant}?`
    this.#problem('error', node, 'no such field', fix)
  }

  text(node: Node): string | null {
    if (typeof node.value === 'string') return node.value
    return this.wrong(node, `expected a string, found ${kindOf(node.value)}`, quoteHint(node.value))
  }

  /** A string that is not empty. */
  name(node: Node): string | null {
    const text = this.text(node)
    return text === '' ? this.wrong(node, 'must not be empty') : text
  }

  count(node: Node): number | null {
    const { value } = node
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
    return this.wrong(node, `expected a whole number, found ${kindOf(value)}`)
  }

  /** The items of a list; a single value counts as a list of one. */
  items(node: Node): Node[] {
    const { value, path } = node
    if (!Array.isArray(value)) return [node]
    return value.map((item: unknown, index) => ({ value: item, path: [...path, index] }))
  }

  /** The strings of a list that must not be empty; a single string counts as a list of one. */
  texts(node: Node): string[] | null {
    const items = this.items(node)
    if (items.length === 0) return this.wrong(node, 'must not be an empty list')
    const texts = items.map((item) => this.text(item))
    return texts.every((text) => text !== null) ? texts : null
  }

  oneOf<Value extends string>(node: Node, values: readonly Value[]): Value | null {
    const text = this.text(node)
    if (text === null) return null
    const found = values.find((value) => value === text)
    if (found !== undefined) return found
    const meant = nearest(text, values)
    return this.wrong(
      node,
      `expected ${values.join(', ')}, found ${text}`,
      meant ? `did you mean ${meant}?` : undefined,
    )
  }
}

export type Members<Name extends string> = Map<Name, Node>

/** `a number`, `null`, `an object`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? `the string ${JSON.stringify(value)}` : `the ${typeof value} ${String(value)}`
}

function quoteHint(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? `write "${value}"` : undefined
}
