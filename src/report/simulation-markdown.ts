/** A simulation as a comment on a pull request: the verdict, the tables, and everything else folded away. */

import { escapeForTerminal } from '../ui/escape.ts'
import { thousands } from '../ui/numbers.ts'
import { toJson } from './document.ts'
import { type SimulationReport, simulationDocument } from './simulation-document.ts'
import { gainInWords, type SeatsView, seatsView, shownLevels, simulationNotes } from './simulation-text.ts'
import {
  foldedMoves,
  placeInWords,
  riskInWords,
  shownLines,
  simulationVerdict,
  usualMoves,
  whatMoves,
  whoMoves,
  witnessInWords,
} from './simulation-words.ts'

/** Names from the cluster are escaped: none of them becomes markup. */
export function simulationMarkdown(report: SimulationReport): string {
  const { simulation } = report
  const blocks = [
    `### API Priority and Fairness: ${plain(simulationVerdict(simulation))}`,
    movesTable(report),
    ...report.seats.map((server) => seatsTable(server, seatsView(report))),
    ...simulationNotes(report).map((group) => group.map((line) => `- ${plain(line)}`).join('\n')),
    details(report),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function movesTable({ simulation, traffic }: SimulationReport): string {
  const { shown: folded, hidden } = shownLines(foldedMoves(usualMoves(simulation.moves)), false)
  if (folded.length === 0) return ''
  const counts = traffic === null ? [] : ['Count']
  const rows = folded.map((line) => [
    code(placeInWords(line.from, line.to)),
    code(placeInWords(line.to, line.from)),
    ...(traffic === null
      ? []
      : [thousands(line.moves.reduce((sum, move) => sum + (traffic.byMove.get(move)?.requests ?? 0), 0))]),
    plain(whoMoves(line)),
    plain(whatMoves(line)),
    plain(riskInWords(line)),
    line.moves[0] ? code(witnessInWords(line.moves[0].witness)) : '',
  ])
  const lines = table(['From', 'To', ...counts, 'Who', 'Requests', 'Risk', 'Example'], rows)
  return [lines, ...hidden.map(plain)].join('\n\n')
}

function seatsTable(server: SimulationReport['seats'][number], view: SeatsView): string {
  const levels = shownLevels(server, view)
  if (levels.length === 0) return ''
  const total = server.limit.after.value
  const header = `Seats (${total === null ? '?' : thousands(total)})${view.several ? ` on ${plain(server.server)}` : ''}`
  const nominal = (level: { nominal: number | null } | null) =>
    level === null ? '-' : level.nominal === null ? '?' : thousands(level.nominal)
  const rows = levels.map((level) => [
    code(level.name),
    nominal(level.before),
    nominal(level.after),
    gainInWords(level),
  ])
  return table([header, 'Before', 'After', 'Change'], rows)
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n')
}

function details(report: SimulationReport): string {
  const { moves } = simulationDocument(report)
  if (moves.length === 0) return ''
  const count = `${moves.length} ${moves.length === 1 ? 'class' : 'classes'} of requests, exactly`
  const text = toJson(moves).trimEnd()
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `<details>\n<summary>${count}</summary>\n\n${fence}json\n${text}\n${fence}\n\n</details>`
}

/** Text that Markdown and HTML leave as it is. */
function plain(text: string): string {
  return escapeForTerminal(text).replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function code(text: string): string {
  const safe = escapeForTerminal(text).replaceAll('|', '\\|')
  if (safe === '') return ''
  return safe.includes('`') ? plain(text) : `\`${safe}\``
}
