/**
 * The test vectors: what real servers and upstream's own code answered, beside this file in `vectors/`.
 * A vector of `throttle-samples.json` is a line of text with its meaning; all others have a kind.
 */
import { readFileSync } from 'node:fs'

export const VECTOR_FILES = ['classification', 'seats', 'limiters', 'validation', 'throttle-samples'] as const

export type VectorFile = (typeof VECTOR_FILES)[number]

/** One case; the shapes of `input` and `expected` depend on the kind. */
export interface Vector<Input, Expected> {
  kind: string
  input: Input
  expected: Expected
  note: string
}

/** All cases of one kind of `classification.json`, `seats.json` or `limiters.json`, in the order of the file. */
export function vectors<Input, Expected>(
  file: 'classification' | 'seats' | 'limiters',
  kind: string,
): Vector<Input, Expected>[] {
  const all = vectorFile(file) as Vector<Input, Expected>[]
  const ofKind = all.filter((vector) => vector.kind === kind)
  if (ofKind.length === 0) throw new Error(`${file}.json has no vector of kind ${kind}`)
  return ofKind
}

/** Every entry of one file as it stands there. */
export function vectorFile(file: VectorFile): unknown[] {
  return JSON.parse(vectorText(file)) as unknown[]
}

export function vectorText(file: VectorFile): string {
  return readFileSync(new URL(`vectors/${file}.json`, import.meta.url), 'utf8')
}
