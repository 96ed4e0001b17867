/** What every source delivers: the objects of one cluster and what is known about where they come from. */
import type { ObjectSet } from '../apf/defaults/index.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../apf/objects.ts'
import type { Problem } from '../apf/problem.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { SourceFailure } from './failure.ts'
import type { Recording } from './files.ts'

export interface ClusterState {
  source: SourceDescription
  flowSchemas: FlowSchema[]
  priorityLevels: PriorityLevelConfiguration[]
  /** Those of them that were given, where default objects lie under them; absent: all. */
  own?: ObjectSet
  /** The row of the version table in force. */
  rules: VersionRules
  /** How sure the version is, and as what it was given. */
  serverVersion: { text: string; basis: 'given' | 'read' | 'assumed-newest'; newerThanKnown: boolean }
  /**
   * Everything wrong with the input, in reading order. Severity error: an input, or an object in it, could not be used.
   * Besides the codes of objects (problem-codes.ts) there are those of inputs: unreadable, empty, too-large, too-deep, binary,
   * encoding, syntax, template, nameless, ignored-document, other-group, defined-twice,
   * no-objects.
   */
  problems: Problem[]
  /**
   * Set where the source has not one object, so that the mandatory ones are all there is: why a question about the objects has
   * no answer.
   */
  noObjects?: SourceFailure
  /** Sentences for stderr: what was read, what was added, what was skipped. */
  notes: string[]
  /** Folders with what was recorded from API servers; absent without any. */
  recordings?: readonly Recording[]
}

export interface SourceDescription {
  kind: 'live' | 'files' | 'snapshot' | 'defaults'
  /** For a person: `defaults 1.37`, `2 files over defaults 1.34`. */
  text: string
  /** True where a level that is not in the set surely does not exist (live, snapshot, defaults alone). */
  complete: boolean
}
