import type { RefusedTarget } from '../apf/request-info.ts'

/** Something the user should know about how the words of a request were read. `code` is stable; texts may change. */
export interface Note {
  code: NoteCode
  /** One sentence without a final full stop. */
  message: string
}

export type NoteCode =
  | 'also-in-group'
  | 'assumed-scheme'
  | 'changed-verb'
  | 'default-namespace'
  | 'extra-arguments'
  | 'ignored-name'
  | 'ignored-namespace'
  | 'more-requests'
  | 'object-name'
  | 'object-namespace'
  | 'path-prefix'
  | 'unknown-resource'
  | 'unknown-subresource'
  | 'unknown-verb'
  | 'verb-never-sent'
  | 'wildcard-resource'

/** Words from which no request can be built: a usage error. */
export interface ArgumentProblem {
  problem: string
  fix: string
  /** Where the words do name a request, but one that the server refuses before it looks at it. */
  refused?: RefusedTarget
}

/** Tells a refusal from an answer. */
export function isArgumentProblem(answer: object): answer is ArgumentProblem {
  return 'problem' in answer
}
