/** What `isolate` plans, with its proof. */
import type { Isolation as PlannedIsolation } from '../analysis/isolation.ts'
import type { ServerSeatsChange } from '../analysis/seats-change.ts'
import type { RatedMove } from '../analysis/simulation/rated-moves.ts'
import { encodeObject } from '../apf/encode.ts'
import type { ApiVersion, VersionRules } from '../apf/versions.ts'
import { API_VERSION, type Isolation } from './contract.ts'
import { moveDocument, seatsChangeDocument } from './simulation-document.ts'

export interface IsolationReport {
  plan: PlannedIsolation
  moves: readonly RatedMove[]
  undecided: readonly string[]
  seats: readonly ServerSeatsChange[]
  notes: readonly string[]
  version: ApiVersion
  rules: VersionRules
}

/** The document of a plan, with its proof. */
export function isolationDocument(report: IsolationReport): Isolation {
  const { moves, seats, undecided, notes } = report
  return {
    apiVersion: API_VERSION,
    kind: 'Isolation',
    objects: isolationObjects(report),
    proof: {
      moves: moves.map((move) => moveDocument(move, null)),
      seats: seats.flatMap(seatsChangeDocument),
      undecided: [...undecided],
    },
    notes: [...notes],
  }
}

/** The level first: without it the FlowSchema takes nothing. */
export function isolationObjects({ plan: { level, schema }, version, rules }: IsolationReport) {
  return [...(level === null ? [] : [level]), schema].map((object) => encodeObject(object, version, rules))
}
