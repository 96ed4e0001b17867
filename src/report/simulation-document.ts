/** What a change does, as the contract writes it. */

import type { IdentityFacts } from '../analysis/reach.ts'
import type { ServerSeatsChange } from '../analysis/seats-change.ts'
import type { Detour as FoundDetour } from '../analysis/simulation/detours.ts'
import type { OnTheWay as FoundWay, ObjectEdit } from '../analysis/simulation/on-the-way.ts'
import type { RatedMove } from '../analysis/simulation/rated-moves.ts'
import type { WeighedTraffic } from '../analysis/simulation/traffic.ts'
import type { Simulation as Simulated } from '../analysis/simulation.ts'
import type { QueuingConfiguration } from '../apf/objects.ts'
import type { EffectiveSchema } from '../apf/order.ts'
import { regionEntries } from '../regions/entry.ts'
import { subjectsEntries } from '../regions/identity.ts'
import {
  API_VERSION,
  type Detour,
  type Draining,
  type Finding,
  type OnTheWay,
  type Place,
  type RedealtLevel,
  type SeatsChange,
  type SimulatedMove,
  type Simulation,
  type Source,
  type WayStep,
} from './contract.ts'
import { levelDocument } from './seats-document.ts'
import { seatsWarningInWords } from './simulation-words.ts'

/** A simulation with everything that is told of it. */
export interface SimulationReport {
  simulation: Simulated
  seats: readonly ServerSeatsChange[]
  draining: readonly Draining[]
  findings: { introduced: Finding[]; resolved: Finding[] }
  /** Null without --requests. */
  traffic: WeighedTraffic | null
  identities: IdentityFacts
  source: Source
  /** Of the servers after. */
  serverVersion: string | null
}

/** The document of `simulate`. */
export function simulationDocument(report: SimulationReport): Simulation {
  const { simulation, seats, draining, findings, traffic, identities, source, serverVersion } = report
  return {
    apiVersion: API_VERSION,
    kind: 'Simulation',
    source,
    change: {
      serverVersion,
      objects: simulation.objects.map(({ object, effect }) => ({ kind: object.kind, name: object.name, effect })),
      rewrites: simulation.rewrites,
    },
    identities,
    moves: simulation.moves.map((move) => moveDocument(move, traffic)),
    redealtLevels: simulation.redealtLevels.map(
      ({ level, queues, share, sampled }): RedealtLevel => ({
        priorityLevel: level,
        before: deckOf(queues.before),
        after: deckOf(queues.after),
        share,
        sampled,
      }),
    ),
    seats: seats.flatMap(seatsChangeDocument),
    findings,
    onTheWay: wayDocument(simulation.way, draining),
    ...(traffic && { traffic: { ...traffic.moved, total: traffic.total } }),
    undecided: simulation.undecided,
  }
}

/** @param traffic  null where none was given */
export function moveDocument(move: RatedMove, traffic: WeighedTraffic | null): SimulatedMove {
  const { from, to, changes, effects, system, breadth, unusual, redealt, identities, requests, witness } = move
  return {
    from: placeOf(from),
    to: placeOf(to),
    changes: [...changes],
    effects: [...effects],
    system: system.map(({ name }) => name),
    breadth,
    unusual,
    redealt,
    subjects: subjectsEntries(identities),
    requests: regionEntries(requests),
    witness,
    ...(traffic && { traffic: traffic.byMove.get(move) ?? { requests: 0, seatSeconds: 0 } }),
  }
}

export function seatsChangeDocument({ server, limit, levels }: ServerSeatsChange): SeatsChange[] {
  return levels.map(({ name, before, after, warnings }) => ({
    server,
    level: name,
    before: before && levelDocument(before),
    after: after && levelDocument(after),
    serverConcurrencyLimit: { before: { ...limit.before }, after: { ...limit.after } },
    warnings: warnings.map((warning) => seatsWarningInWords(name, warning)),
  }))
}

function wayDocument({ verdict, states, order, undecided }: FoundWay, draining: readonly Draining[]): OnTheWay {
  return {
    verdict,
    states: states.map(({ edit, dangling, detours }) => ({
      after: edit && stepDocument(edit),
      dangling,
      detours: detours.map(detourDocument),
    })),
    order: order === null ? null : order.map(stepDocument),
    draining: [...draining],
    undecided,
  }
}

function stepDocument({ object, before, after }: ObjectEdit): WayStep {
  const action = before === null ? 'create' : after === null ? 'delete' : 'change'
  return { action, object: { kind: object.kind, name: object.name } }
}

function detourDocument({ from, via, to, identities, requests, witness }: FoundDetour): Detour {
  return {
    from: placeOf(from),
    via: placeOf(via),
    to: placeOf(to),
    subjects: subjectsEntries(identities),
    requests: regionEntries(requests),
    witness,
  }
}

function placeOf({ schema, level }: EffectiveSchema): Place {
  return { flowSchema: schema.metadata.name, priorityLevel: level.metadata.name }
}

function deckOf({ queues, handSize }: QueuingConfiguration): { queues: number; handSize: number } {
  return { queues, handSize }
}
