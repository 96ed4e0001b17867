/** What lint knows of recordings of API servers, with changes. */
import { seatsTold } from '../../../src/analysis/server-account.ts'
import { rulesOfServer } from '../../../src/analysis/status.ts'
import { lintContext } from '../../../src/lint/context.ts'
import { lint } from '../../../src/lint/engine.ts'
import type { Evidence, LintContext, RuleId } from '../../../src/lint/rule.ts'
import { RULES } from '../../../src/lint/rules/index.ts'
import { readRecording } from '../../../src/metrics/read-recording.ts'
import type { ServerState } from '../../../src/metrics/server-state.ts'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { openSource } from '../../../src/sources/open.ts'

export const recorded = (name: string) => `test/fixtures/apf/${name}`

export interface Changes {
  /** Of the servers, in the order of the names. */
  servers?: (server: ServerState, index: number) => ServerState
  objects?: (objects: Pick<LintContext, 'all'>['all']) => Pick<LintContext, 'all'>['all']
  readAt?: number
  release?: Evidence['release']
}

/** The objects of the first recording, and all servers. */
export async function liveContext(names: readonly string[], changes: Changes = {}): Promise<LintContext> {
  const { servers: changed = (server) => server, objects = (all) => all, readAt = null } = changes
  const state = await openSource({ from: names.map(recorded), overlayDefaults: false })
  if (isSourceFailure(state)) throw new Error(state.what)
  const { rules } = state
  const servers: Evidence['servers'][number][] = []
  for (const [index, name] of names.entries()) {
    const server = changed(await readRecording(recorded(name)), index)
    servers.push({ server, rules: rulesOfServer(server), limit: seatsTold(server, state.priorityLevels) })
  }
  const all = objects({ flowSchemas: state.flowSchemas, priorityLevels: state.priorityLevels })
  return lintContext({
    own: { flowSchemas: [...all.flowSchemas], priorityLevels: [...all.priorityLevels] },
    all: { flowSchemas: [...all.flowSchemas], priorityLevels: [...all.priorityLevels] },
    rules,
    complete: true,
    serverSeats: { value: 600, assumed: true },
    evidence: { release: changes.release === undefined ? rules : changes.release, servers, readAt, backends: [] },
  })
}

/** `warning OBJECT: message` of the findings of one rule. */
export function found(context: LintContext, id: RuleId): string[] {
  const rules = RULES.filter((rule) => rule.id === id)
  return lint([context], rules).map(({ severity, message }) => `${severity}: ${message}`)
}
