/** Tables as kubectl prints them: upper-case headers, two spaces between columns, no boxes, no trailing spaces. */
import type { Paint } from './colour.ts'
import { escapeForTerminal } from './escape.ts'
import { cutToWidth, displayWidth } from './width.ts'

const GAP = '  '

export interface Column<Row> {
  header: string
  /** The cell; foreign text is escaped by the table. */
  value(row: Row): string | number
  /** Numbers go right. */
  align?: 'right'
  /** Shown with `-o wide` only. */
  wide?: true
  /** Text that says enough when its end is cut off, where the table is too wide. */
  cuts?: true
  /** Colour of one cell; null leaves it plain. */
  paint?(row: Row): Paint | null
}

export interface TableOptions {
  headers: boolean
  /** All columns, whatever their width. */
  wide: boolean
  /** Display columns there are; narrower tables are printed whole. */
  maxWidth: number
  /** What a cut cell ends with. */
  ellipsis: string
}

export interface Table {
  /** Lines, each with its line end. */
  text: string
  /** Headers of the columns that did not fit, in order. */
  dropped: string[]
  /** Headers of the columns with cells that were cut. */
  cut: string[]
}

/** Columns narrower than this are not worth cutting into. */
const NARROWEST_CUT = 16

/**
 * Lays out a table. Where it is too wide, cells of columns that may be are cut, then columns are dropped from the right; the
 * first one always stays.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions): Table {
  const laidOut = columns
    .filter((column) => options.wide || !column.wide)
    .map((column) => {
      const cells = rows.map((row) => escapeForTerminal(String(column.value(row))))
      const texts = options.headers ? [column.header, ...cells] : cells
      return { column, texts, width: texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0) }
    })
  if (!options.wide) narrow(laidOut, options.maxWidth)
  const shown = options.wide
    ? laidOut.length
    : fitting(
        laidOut.map(({ width }) => width),
        options.maxWidth,
      )
  const kept = laidOut.slice(0, shown)
  const cut = kept.filter(({ texts, width }) => texts.some((text) => displayWidth(text) > width))

  const headerLines = options.headers ? 1 : 0
  let text = ''
  for (let line = 0; line < rows.length + headerLines; line++) {
    const row = line < headerLines ? undefined : rows[line - headerLines]
    let written = ''
    let pending = ''
    for (const { column, texts, width } of kept) {
      const cell = cutToWidth(texts[line] ?? '', width, options.ellipsis)
      const padding = ' '.repeat(width - displayWidth(cell))
      const painted = row === undefined ? cell : (column.paint?.(row)?.(cell) ?? cell)
      if (cell !== '') {
        written += column.align === 'right' ? pending + padding + painted : pending + painted
        pending = column.align === 'right' ? GAP : padding + GAP
      } else pending += padding + GAP
    }
    text += `${written}\n`
  }
  const headers = (columns: typeof laidOut) => columns.map(({ column }) => column.header)
  return { text, dropped: headers(laidOut.slice(shown)), cut: headers(cut) }
}

interface Width {
  column: { cuts?: true }
  width: number
}

/** Cuts into the widest of the columns that may be cut, so that as many as possible fit from the left. */
function narrow(columns: readonly Width[], maxWidth: number): void {
  const least = columns.map(({ column, width }) => (column.cuts ? Math.min(width, NARROWEST_CUT) : width))
  const shown = columns.slice(0, fitting(least, maxWidth))
  let excess = shown.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - maxWidth
  for (; excess > 0; excess--) {
    const widest = shown
      .filter(({ column, width }) => column.cuts && width > NARROWEST_CUT)
      .reduce<Width | null>((most, each) => (most === null || each.width > most.width ? each : most), null)
    if (widest === null) return
    widest.width--
  }
}

/** How many columns fit from the left, one at least. */
function fitting(widths: readonly number[], maxWidth: number): number {
  let used = 0
  for (const [index, width] of widths.entries()) {
    used += (index === 0 ? 0 : GAP.length) + width
    if (used > maxWidth) return Math.max(1, index)
  }
  return widths.length
}
