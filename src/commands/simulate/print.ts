/** Prints a simulation in the format asked for. */
import type { Io } from '../../cli/io.ts'
import { printDocument, printTable, stdoutPainter } from '../../cli/print.ts'
import { type SimulationReport, simulationDocument } from '../../report/simulation-document.ts'
import { moveColumns, seatsColumns, seatsView, shownLevels, simulationNotes } from '../../report/simulation-text.ts'
import { foldedMoves, shownLines, simulationVerdict, usualMoves } from '../../report/simulation-words.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { wrapped } from '../../ui/wrap.ts'
import type { SimulateFlagValues } from './flags.ts'

/** Tables with the sentences that explain them, a document, or a comment for a pull request. */
export async function printSimulation(report: SimulationReport, flags: SimulateFlagValues, io: Io): Promise<void> {
  switch (flags.output) {
    case 'json':
    case 'yaml':
      return printDocument(simulationDocument(report), flags.output, io)
    case 'markdown': {
      const { simulationMarkdown } = await import('../../report/simulation-markdown.ts')
      await io.stdout.write(simulationMarkdown(report))
      return
    }
    default:
      return printText(report, flags, io)
  }
}

async function printText(report: SimulationReport, flags: SimulateFlagValues, io: Io): Promise<void> {
  const { simulation, seats, traffic } = report
  const paint = stdoutPainter(io)
  await io.stdout.write(`${escapeForTerminal(simulationVerdict(simulation))}\n`)
  const wide = flags.output === 'wide'
  const folded = foldedMoves(wide ? simulation.moves : usualMoves(simulation.moves))
  if (folded.length > 0) {
    const { shown, hidden } = shownLines(folded, wide)
    await io.stdout.write('\n')
    await printTable(moveColumns(shown, traffic, paint), shown, flags, io)
    await io.stdout.write(hidden.map(sentence).join(''))
  }
  const view = seatsView(report, wide)
  for (const server of seats) {
    const levels = shownLevels(server, view)
    if (levels.length === 0) continue
    await io.stdout.write('\n')
    await printTable(seatsColumns(server, view, paint), levels, flags, io)
  }
  for (const group of simulationNotes(report, wide)) {
    await io.stdout.write(`\n${group.map(sentence).join('')}`)
  }
}

/** Broken also where a program reads. */
function sentence(line: string): string {
  return `${wrapped(escapeForTerminal(line), '  ').join('\n')}\n`
}
