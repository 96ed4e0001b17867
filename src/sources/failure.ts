import type { Problem } from '../apf/problem.ts'

/** Why a source has no answer, as a value: what happened, why, and what to do about it. One line each. */
export interface SourceFailure {
  /** 2: what the user gave is wrong or unreadable. 3: the answer could not be obtained. */
  exitCode: 2 | 3
  what: string
  /** '' where `what` says it all. */
  why: string
  /** '' where nothing sensible can be said. */
  next: string
  /** Every problem of the input, where there are several; the first one is told above. */
  problems?: readonly Problem[]
}

export function isSourceFailure(value: object): value is SourceFailure {
  return 'exitCode' in value && 'what' in value && 'why' in value && 'next' in value
}

/** The answer could not be obtained. */
export function unanswered(what: string, why: string, next: string): SourceFailure {
  return { exitCode: 3, what, why, next }
}

/** Something that the user gave is wrong. */
export function invalidInput(what: string, why: string, next: string): SourceFailure {
  return { exitCode: 2, what, why, next }
}
