/** A simulation for a reviewer who has one minute. */

import type { Rewrite } from '../analysis/change/change.ts'
import type { ServerSeatsLimit } from '../analysis/seats.ts'
import { type LevelSeatsChange, lossPercent, type ServerSeatsChange, takesNoPart } from '../analysis/seats-change.ts'
import { touchesExempt } from '../analysis/simulation/rated-moves.ts'
import type { WeighedTraffic } from '../analysis/simulation/traffic.ts'
import type { Painter } from '../ui/colour.ts'
import { rounded, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import type { Finding } from './contract.ts'
import { settingSentences } from './level-settings-words.ts'
import type { SimulationReport } from './simulation-document.ts'
import {
  type FoldedMove,
  placeInWords,
  riskInWords,
  seatsWarningInWords,
  usualMoves,
  wayInWords,
  whatMoves,
  whoMoves,
  witnessInWords,
} from './simulation-words.ts'

/** Columns of the moves, one line for each pair of places. */
export function moveColumns(
  folded: readonly FoldedMove[],
  traffic: WeighedTraffic | null,
  paint: Painter,
): Column<FoldedMove>[] {
  const isSome = (value: (line: FoldedMove) => string) => folded.some((line) => value(line) !== '')
  return [
    { header: 'FROM', cuts: true, value: ({ from, to }) => placeInWords(from, to) },
    {
      header: 'TO',
      cuts: true,
      value: ({ from, to }) => placeInWords(to, from),
      paint: (line) => placePaint(line, paint),
    },
    { header: 'FROM SCHEMA', wide: true, value: ({ from }) => from.schema.metadata.name },
    { header: 'TO SCHEMA', wide: true, value: ({ to }) => to.schema.metadata.name },
    {
      header: 'CLASSES',
      align: 'right',
      ...(folded.every(({ moves }) => moves.length === 1) ? { wide: true as const } : {}),
      value: ({ moves }) => moves.length,
    },
    ...(traffic === null ? [] : trafficColumns(traffic)),
    { header: 'WHO', cuts: true, value: whoMoves },
    { header: 'REQUESTS', cuts: true, value: whatMoves },
    ...(isSome(riskInWords)
      ? [
          {
            header: 'RISK',
            cuts: true as const,
            value: riskInWords,
            paint: (line: FoldedMove) => riskPaint(line, paint),
          },
        ]
      : []),
    { header: 'EXAMPLE', cuts: true, value: exampleOf },
    { header: 'EXAMPLE BY', wide: true, value: ({ moves: [first] }) => first?.witness.user ?? '' },
  ]
}

function trafficColumns({ byMove }: WeighedTraffic): Column<FoldedMove>[] {
  const sum = ({ moves }: FoldedMove, value: 'requests' | 'seatSeconds') =>
    moves.reduce((total, move) => total + (byMove.get(move)?.[value] ?? 0), 0)
  return [
    { header: 'COUNT', align: 'right', value: (line) => thousands(sum(line, 'requests')) },
    { header: 'SEAT-SECONDS', align: 'right', wide: true, value: (line) => seatSeconds(sum(line, 'seatSeconds')) },
  ]
}

/** Rounded to thousandths. */
export function seatSeconds(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

function exampleOf({ moves: [first] }: FoldedMove): string {
  return first === undefined ? '' : witnessInWords(first.witness)
}

function placePaint({ moves }: FoldedMove, paint: Painter) {
  return moves.some(({ effects }) => effects.includes('now-exempt')) ? paint.yellow : null
}

function riskPaint({ moves }: FoldedMove, paint: Painter) {
  if (moves.some(({ system }) => system.length > 0)) return paint.red
  return moves.some(touchesExempt) ? paint.yellow : null
}

/** How much of the seats is shown. */
export interface SeatsView {
  /** There are several servers. */
  several: boolean
  /** Every level, and every column. */
  wide: boolean
  /** What levels lend or borrow changes, so that their guaranteed and reachable seats have to be seen. */
  borrowing: boolean
}

export function seatsView({ seats, simulation: { settings } }: SimulationReport, wide = false): SeatsView {
  const borrowing = settings.some(({ setting }) => setting === 'lending' || setting === 'borrowing')
  return { several: seats.length > 1, wide, borrowing }
}

/** The levels whose seats change; all of them in a wide table. */
export function shownLevels({ levels }: ServerSeatsChange, { wide, borrowing }: SeatsView): LevelSeatsChange[] {
  return wide ? [...levels] : levels.filter((level) => isChanged(level) || (borrowing && reachesOther(level)))
}

function reachesOther({ before, after }: LevelSeatsChange): boolean {
  return before?.lower !== after?.lower || before?.reachable !== after?.reachable
}

/** Seats, or shares where nobody told the seats of the server. */
function isChanged({ before, after, gain }: LevelSeatsChange): boolean {
  if (before === null || after === null) return true
  return gain === null ? before.shares !== after.shares : gain !== 0
}

export function seatsColumns(
  { server, limit }: ServerSeatsChange,
  { several, borrowing }: SeatsView,
  paint: Painter,
): Column<LevelSeatsChange>[] {
  const pair = (
    header: string,
    value: 'lower' | 'reachable' | 'maxSeatsPerRequest',
    always = false,
  ): Column<LevelSeatsChange> => ({
    header,
    align: 'right',
    ...(always ? {} : { wide: true as const }),
    value: ({ before, after }) => `${numberOf(before, before?.[value])} → ${numberOf(after, after?.[value])}`,
  })
  const where = several ? ` ON ${server}` : ''
  if (limit.after.value === null) {
    return [
      { header: `SHARES${where}`, value: ({ name }) => name },
      { header: 'BEFORE', align: 'right', value: ({ before }) => numberOf(before, before?.shares) },
      { header: 'AFTER', align: 'right', value: ({ after }) => numberOf(after, after?.shares) },
    ]
  }
  return [
    { header: `SEATS (${seatsInWords(limit)})${where}`, value: ({ name }) => name },
    { header: 'BEFORE', align: 'right', value: ({ before }) => numberOf(before, before?.nominal) },
    { header: 'AFTER', align: 'right', value: ({ after }) => numberOf(after, after?.nominal) },
    { header: 'CHANGE', value: gainInWords, paint: ({ gain }) => ((gain ?? 0) < 0 ? paint.yellow : null) },
    pair('GUARANTEED', 'lower', borrowing),
    pair('REACHABLE', 'reachable', borrowing),
    pair('ONE LIST', 'maxSeatsPerRequest'),
  ]
}

/** `600`, `600 assumed` */
function seatsInWords({ before, after }: ServerSeatsChange['limit']): string {
  const text = ({ value, source }: ServerSeatsLimit) =>
    `${seatsOf(value)}${source === 'assumed-default' ? ' assumed' : ''}`
  return before.value === after.value ? text(after) : `${text(before)} then ${text(after)}`
}

function seatsOf(value: number | null): string {
  return value === null ? '?' : thousands(value)
}

function numberOf(level: LevelSeatsChange['after'], value: number | null | undefined): string {
  if (level === null || takesNoPart(level)) return '-'
  return value === null || value === undefined ? '?' : thousands(value)
}

/** `new`, `gone`, `-2 %`, `+12 %`. */
export function gainInWords(change: LevelSeatsChange): string {
  const { before, after, gain } = change
  if (before === null) return 'new'
  if (after === null) return 'gone'
  if (gain === null) return '?'
  if (gain === 0) return ''
  const loss = lossPercent(change) ?? 0
  if (gain < 0) return `-${rounded(loss)} %`
  return before.nominal ? `+${rounded((gain / before.nominal) * 100)} %` : `+${thousands(gain)}`
}

/**
 * Sentences below the tables, in groups.
 * @param wide  findings of severity info too, not only their number
 */
export function simulationNotes(report: SimulationReport, wide = false): string[][] {
  const { simulation, seats, draining, findings, traffic } = report
  return [
    unusualSentences(report),
    [
      ...seats.flatMap(seatsSentences),
      ...settingSentences(simulation.settings),
      ...redealtSentences(report),
      ...trafficSentences(traffic),
    ],
    wayInWords(simulation.way, draining, wide),
    rewriteSentences(simulation.rewrites),
    [...findingSentences('new', findings.introduced, wide), ...findingSentences('resolved', findings.resolved, wide)],
    bypassSentences(report),
    simulation.undecided.map((sentence) => `Not decided: ${sentence}.`),
  ].filter((group) => group.length > 0)
}

function seatsSentences(
  { levels, server, limit }: ServerSeatsChange,
  _index: number,
  all: readonly ServerSeatsChange[],
): string[] {
  const where = all.length > 1 ? ` (${server})` : ''
  const warnings = [
    ...levels.flatMap(({ name, warnings }) =>
      warnings
        .filter((warning) => warning.kind !== 'narrower-lists')
        .map((warning) => `! ${seatsWarningInWords(name, warning)}${where}.`),
    ),
    ...narrowerInWords(levels, where),
  ]
  const shares = (side: 'before' | 'after') => levels.reduce((sum, level) => sum + (level[side]?.shares ?? 0), 0)
  const [before, after] = [shares('before'), shares('after')]
  if (before === after) return warnings
  const payers = levels.filter(({ before: had, after: has, gain }) => had !== null && has !== null && (gain ?? 0) < 0)
  const sum = payers.reduce((total, { gain }) => total - (gain ?? 0), 0)
  const pays =
    payers.length === 0
      ? ''
      : ` ${payers.length} ${payers.length === 1 ? 'level pays' : 'levels pay'} with ${thousands(sum)} seats.`
  const sentence = `All levels together have ${thousands(after)} shares after, ${thousands(before)} before.${pays}`
  const unknown = limit.after.value === null ? [`? SEATS: not known${where}; --server-seats N tells them.`] : []
  return [...unknown, ...(where === '' || all[0]?.server === server ? [sentence] : []), ...warnings]
}

function unusualSentences({ simulation: { moves } }: SimulationReport): string[] {
  const made = moves.length - usualMoves(moves).length
  if (made === 0) return []
  const what = made === 1 ? '1 more class moves' : `${thousands(made)} more classes move`
  return [`${what} only for identities with unusual groups, such as impersonation makes (-o wide shows them).`]
}

/** One sentence for all levels: they usually shrink together. */
function narrowerInWords(levels: readonly LevelSeatsChange[], where: string): string[] {
  const found = levels.flatMap(({ name, warnings }) =>
    warnings.flatMap((warning) => (warning.kind === 'narrower-lists' ? [{ name, warning }] : [])),
  )
  const [first] = found
  if (first === undefined) return []
  const { need } = first.warning
  const what = need === null ? '' : `; one of ${need.resource} needs ${thousands(need.seats)}`
  const list = found.map(
    ({ name, warning }) => `${name} ${thousands(warning.after)} (${thousands(warning.before)} before)`,
  )
  return [
    `! One LIST may take fewer seats, so that wider ones are charged less than they cost: ${list.join(', ')}${what}${where}.`,
  ]
}

function redealtSentences({ simulation }: SimulationReport): string[] {
  return simulation.redealtLevels.map(({ level, queues: { before, after }, share }) => {
    const deck = ({ queues, handSize }: { queues: number; handSize: number }) => `${handSize} of ${thousands(queues)}`
    return `${level} deals hands of ${deck(after)} queues, ${deck(before)} before: about ${Math.round(share * 100)} % of its flows wait in other queues.`
  })
}

function trafficSentences(traffic: WeighedTraffic | null): string[] {
  if (traffic === null) return []
  const { moved, total } = traffic
  const part = total.requests === 0 ? 0 : (moved.requests / total.requests) * 100
  return [
    `Of ${thousands(total.requests)} given requests ${thousands(moved.requests)} ${moved.requests === 1 ? 'moves' : 'move'} (${rounded(part)} %), ${seatSeconds(moved.seatSeconds)} of ${seatSeconds(total.seatSeconds)} seat-seconds by the server's estimate.`,
  ]
}

/** More annotations than these are counted: an upgrade writes one to each default object. */
const ANNOTATIONS_SHOWN = 3

function rewriteSentences(rewrites: readonly Rewrite[]): string[] {
  const annotated = rewrites.filter(({ kind }) => kind === 'annotated')
  if (annotated.length <= ANNOTATIONS_SHOWN) return rewrites.map(({ message }) => `${message}.`)
  const others = rewrites.filter(({ kind }) => kind !== 'annotated').map(({ message }) => `${message}.`)
  return [...others, `${annotated.length} default objects get the annotation apf.kubernetes.io/autoupdate-spec.`]
}

function findingSentences(which: string, findings: readonly Finding[], wide: boolean): string[] {
  const shown = findings.filter(({ severity }) => wide || severity !== 'info')
  const hidden = findings.length - shown.length
  return [
    ...shown.map(({ severity, message, rule }) => `${which} ${severity}: ${message}  [${rule}]`),
    ...(hidden > 0 ? [`${which}: ${hidden} ${hidden === 1 ? 'info' : 'infos'} (-o wide)`] : []),
  ]
}

function bypassSentences({ simulation }: SimulationReport): string[] {
  const { ends, begins } = simulation.bypass
  return [
    ...(ends ? ['Requests that bypassed APF are classified after, watches among them; they are in no move.'] : []),
    ...(begins ? ['Requests that were classified bypass APF after; they are in no move.'] : []),
  ]
}
