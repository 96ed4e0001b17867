/** Findings of a text, read as the program reads a stream. */
import { type AttributedItem, Attributor } from '../../src/analysis/attributions.ts'
import { type ScanReport, scanLines } from '../../src/sources/evidence/scan.ts'

export interface Findings {
  items: AttributedItem[]
  report: ScanReport
  malformed: number
}

/** @param cutAt  length of the chunks in bytes */
export async function findingsIn(text: string | Uint8Array, cutAt = 1 << 16): Promise<Findings> {
  const items: AttributedItem[] = []
  const attributor = new Attributor(null, (item) => items.push(item))
  const reader = attributor.reader(null)
  const report = await scanLines(pieces(Buffer.from(text), cutAt), attributor.find, (line, number, before) =>
    reader.readLine(line, number, before),
  )
  reader.end()
  return { items, report, malformed: reader.malformed }
}

async function* pieces(bytes: Buffer, cutAt: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += cutAt) yield bytes.subarray(start, start + cutAt)
}

/** `layer/reason` of each finding, counted. */
export function counted(items: readonly Pick<AttributedItem, 'layer' | 'reason'>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { layer, reason } of items) counts[`${layer}/${reason}`] = (counts[`${layer}/${reason}`] ?? 0) + 1
  return counts
}
