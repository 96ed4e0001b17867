/** `--fail-if moves-system,exempt,seats-loss=20%`: what makes a simulation fail. */
import { lossPercent } from '../../analysis/seats-change.ts'
import { touchesExempt } from '../../analysis/simulation/rated-moves.ts'
import { EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { SimulationReport } from '../../report/simulation-document.ts'

/** True: it does; null: that is not known. */
type Holds = boolean | null

export interface Gate {
  /** As it was written. */
  name: string
  holds(report: SimulationReport): Holds
}

const GATES: Readonly<Record<string, Gate['holds']>> = {
  moves: (report) => amongMoves(report, () => true),
  'moves-system': (report) => amongMoves(report, ({ system }) => system.length > 0),
  exempt: (report) => amongMoves(report, touchesExempt),
  rejected: (report) => amongMoves(report, ({ effects }) => effects.includes('now-rejected')),
  detours: ({ simulation: { way } }) =>
    way.verdict === 'undecided' ? null : way.states.some(({ detours }) => detours.length > 0),
  findings: ({ findings }) => findings.introduced.some(({ severity }) => severity !== 'info'),
}

const SEATS_LOSS = /^seats-loss=(\d+(?:\.\d+)?)%?$/

/** @throws CliError (exit 2) for a gate that there is not */
export function gatesOf(words: readonly string[]): Gate[] {
  return words
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map(gate)
}

function gate(name: string): Gate {
  const loss = SEATS_LOSS.exec(name)?.[1]
  if (loss !== undefined) return { name, holds: (report) => losesSeats(report, Number(loss)) }
  const holds = Object.hasOwn(GATES, name) ? GATES[name] : undefined
  if (holds !== undefined) return { name, holds }
  throw usageError(`--fail-if ${name} is no gate`, `gates are ${[...Object.keys(GATES), 'seats-loss=20%'].join(', ')}`)
}

function amongMoves(
  { simulation: { moves, undecided } }: SimulationReport,
  test: (move: SimulationReport['simulation']['moves'][number]) => boolean,
): Holds {
  if (moves.some(test)) return true
  return undecided.length > 0 ? null : false
}

function losesSeats({ seats }: SimulationReport, percent: number): Holds {
  const losses = seats.flatMap(({ levels }) => levels.map(lossPercent))
  if (losses.some((loss) => loss !== null && loss > 0 && loss >= percent)) return true
  return losses.some((loss) => loss === null) ? null : false
}

export interface GateOutcome {
  exitCode: ExitCode
  /** A sentence for each gate that fails or cannot tell. */
  sentences: string[]
}

/** 1 where a gate holds, 3 where none does but one cannot tell. */
export function judged(gates: readonly Gate[], report: SimulationReport): GateOutcome {
  const outcomes = gates.map(({ name, holds }) => ({ name, holds: holds(report) }))
  const failing = outcomes.filter(({ holds }) => holds === true)
  const open = outcomes.filter(({ holds }) => holds === null)
  return {
    exitCode: open.length > 0 ? EXIT.unanswered : failing.length > 0 ? EXIT.findings : EXIT.ok,
    sentences: [
      ...failing.map(({ name }) => `gate ${name} fails`),
      ...open.map(({ name }) => `gate ${name} cannot tell: what it needs is not known`),
    ],
  }
}
