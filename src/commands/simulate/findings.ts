/** Which findings of lint a change brings, and which it resolves. */

import type { ServerSeatsLimit } from '../../analysis/seats.ts'
import type { SimulatedState, Simulation } from '../../analysis/simulation.ts'
import type { ObjectSet } from '../../apf/defaults/index.ts'
import type { ApfObject } from '../../apf/objects.ts'
import { formatFieldPath } from '../../apf/problem.ts'
import { DEFAULT_SERVER_SEATS } from '../../apf/seats.ts'
import { lintContext } from '../../lint/context.ts'
import { type LintFinding, lint } from '../../lint/engine.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { Finding } from '../../report/contract.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import type { Change } from './change.ts'

/** Findings of the state before and of the state after, without those that both have. */
export function findingsChange(
  { before, after }: Simulation,
  state: ClusterState,
  change: Change,
  serverSeats: ServerSeatsLimit,
): { introduced: Finding[]; resolved: Finding[] } {
  const complete = state.source.complete && (change.to?.source.complete ?? true)
  const had = findingsOf(before, complete, serverSeats)
  const has = findingsOf(
    change.to === null ? after : { ...after, objects: asHeld(after.objects) },
    complete,
    serverSeats,
  )
  return { introduced: missingIn(had, has), resolved: missingIn(has, had) }
}

/** What was saved from a server, which its UIDs tell, is nothing that somebody wrote to send it there. */
function asHeld({ flowSchemas, priorityLevels }: ObjectSet): ObjectSet {
  return { flowSchemas: flowSchemas.map(withoutText), priorityLevels: priorityLevels.map(withoutText) }
}

function withoutText<T extends ApfObject>(object: T): T {
  const { metadata, origin } = object
  if (metadata.uid === null || origin === null) return object
  return { ...object, origin: { file: origin.file, locate: (path) => origin.locate(path) } }
}

function findingsOf(
  { objects, rules }: SimulatedState,
  complete: boolean,
  { value, source }: ServerSeatsLimit,
): LintFinding[] {
  const seats = { value: value ?? DEFAULT_SERVER_SEATS, assumed: value === null || source === 'assumed-default' }
  const context = lintContext({ own: objects, all: objects, rules, complete, serverSeats: seats })
  return lint([context], RULES).filter(({ maintainedBy }) => maintainedBy === null)
}

/** Numbers in messages change with everything, so that rule, object and field tell findings apart. */
function missingIn(known: readonly LintFinding[], found: readonly LintFinding[]): Finding[] {
  const keys = new Set(known.map(keyOf))
  return found.filter((finding) => !keys.has(keyOf(finding))).map(documentOf)
}

function keyOf({ rule, about, path }: LintFinding): string {
  return JSON.stringify([rule.id, about, formatFieldPath(path)])
}

function documentOf({ rule, severity, message, about, at, path, fix }: LintFinding): Finding {
  const field = at.path ?? formatFieldPath(path)
  return {
    rule: rule.id,
    severity,
    message,
    object: about,
    file: at.file ?? null,
    line: at.line ?? null,
    column: at.column ?? null,
    field: field === '' ? null : field,
    fix: fix && { text: fix.text, edits: [] },
  }
}
