/** `--fail-if moves-system,exempt,seats-loss=20%`: what makes a simulation fail. */
import { lossPercent } from '../../analysis/seats-change.ts'
import { refusesNow } from '../../analysis/simulation/level-settings.ts'
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
  rejected: (report) =>
    report.simulation.settings.some(refusesNow) ||
    amongMoves(report, ({ effects }) => effects.includes('now-rejected')),
  detours: ({ simulation: { way } }) =>
    way.verdict === 'undecided' ? null : way.states.some(({ detours }) => detours.length > 0),
  findings: ({ findings }) => findings.introduced.some(({ severity }) => severity !== 'info'),
}

const ALL_GATES = `gates are ${[...Object.keys(GATES), 'seats-loss=20%'].join(', ')}`
const SEATS_LOSS = /^seats-loss=(\d+(?:\.\d+)?)%?$/

/** @throws CliError (exit 2) for a gate that there is not, or that nothing could ever trip */
export function gatesOf(words: readonly string[]): Gate[] {
  return words.flatMap((word) => {
    const names = word
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    if (names.length === 0) throw usageError('--fail-if names no gate', ALL_GATES, 'leave it out, or name one')
    return names.map(gate)
  })
}

function gate(name: string): Gate {
  const loss = SEATS_LOSS.exec(name)?.[1]
  if (loss !== undefined) {
    if (Number(loss) > 100) throw usageError(`--fail-if ${name} never fails`, 'no level loses more than 100 %')
    return { name, holds: (report) => losesSeats(report, Number(loss)) }
  }
  const holds = Object.hasOwn(GATES, name) ? GATES[name] : undefined
  if (holds !== undefined) return { name, holds }
  throw usageError(`--fail-if ${name} is no gate`, ALL_GATES)
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

/** 3 where a gate cannot tell, whatever the others say; else 1 where one holds. */
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
