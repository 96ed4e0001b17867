/** From findings to a report in the format asked for. */
import type { Io } from '../../cli/io.ts'
import { printDocument, stdoutPainter } from '../../cli/print.ts'
import type { Findings } from '../../report/contract.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import type { TextLines } from './positions.ts'

export async function writeReport(
  findings: Findings,
  { output = 'table' }: { output?: string | undefined },
  lines: TextLines,
  io: Io,
): Promise<void> {
  if (output === 'json' || output === 'yaml') return await printDocument(findings, output, io)
  const { findingsText } = await import('../../report/findings-text.ts')
  const text = findingsText(findings, {
    paint: stdoutPainter(io),
    symbols: symbolsFor(io.env),
    wide: output === 'wide',
    sourceLine: (file, line) => lines.line(file, line),
    pointedLength: () => 1,
  })
  await io.stdout.write(text)
}
