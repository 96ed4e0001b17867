/** Answers on stdout. */
import { toJson, toYaml } from '../report/document.ts'
import { type Painter, painter } from '../ui/colour.ts'
import { symbolsFor } from '../ui/symbols.ts'
import { type Column, renderTable, type Table } from '../ui/table.ts'
import type { Io } from './io.ts'
import { printNotes } from './messages.ts'

export interface OutputFlagValues {
  output?: string | undefined
  'no-headers': boolean
  quiet: boolean
}

export function stdoutPainter(io: Io): Painter {
  return painter(io.stdout, io.env, io.colour)
}

/**
 * Prints a table. A terminal gets what fits, and a note on what did not; pipes get every column, since scripts count them.
 */
export async function printTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  flags: OutputFlagValues,
  io: Io,
): Promise<Table> {
  const wide = flags.output === 'wide'
  const maxWidth = io.stdout.columns ?? Number.POSITIVE_INFINITY
  const { ellipsis } = symbolsFor(io.env)
  const table = renderTable(columns, rows, { headers: !flags['no-headers'], wide, maxWidth, ellipsis })
  await io.stdout.write(table.text)
  const changed = [
    ...(table.cut.length > 0 ? [`cut: ${table.cut.join(', ')}`] : []),
    ...(table.dropped.length > 0 ? [`left out: ${table.dropped.join(', ')}`] : []),
  ]
  if (changed.length === 0) return table
  printNotes([`the terminal has ${maxWidth} columns; ${changed.join('; ')} (-o wide shows all)`], flags.quiet, io)
  return table
}

/** Prints a document as JSON or YAML. */
export async function printDocument(document: object, format: 'json' | 'yaml', io: Io): Promise<void> {
  await io.stdout.write(format === 'json' ? toJson(document) : await toYaml(document))
}
