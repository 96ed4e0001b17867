/** Tables as kubectl prints them: upper-case headers, two spaces between columns, no boxes, no trailing spaces. */
import type { Paint } from './colour.ts'
import { escapeForTerminal } from './escape.ts'
import { displayWidth } from './width.ts'

/** Widest table that is printed unasked where no terminal says how much there is. */
export const DEFAULT_TABLE_WIDTH = 100

const GAP = '  '

export interface Column<Row> {
  header: string
  /** The cell; foreign text is escaped by the table. */
  value(row: Row): string | number
  /** Numbers go right. */
  align?: 'right'
  /** Shown with `-o wide` only. */
  wide?: true
  /** Colour of one cell; null leaves it plain. */
  paint?(row: Row): Paint | null
}

export interface TableOptions {
  headers: boolean
  /** All columns, whatever their width. */
  wide: boolean
  /** Display columns there are; narrower tables are printed whole. */
  maxWidth: number
}

export interface Table {
  /** Lines, each with its line end. */
  text: string
  /** Headers of the columns that did not fit, in order. */
  dropped: string[]
}

/** Lays out a table. Columns that do not fit are dropped from the right; the first one always stays. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions): Table {
  const laidOut = columns
    .filter((column) => options.wide || !column.wide)
    .map((column) => {
      const cells = rows.map((row) => escapeForTerminal(String(column.value(row))))
      const texts = options.headers ? [column.header, ...cells] : cells
      return { column, texts, width: texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0) }
    })
  const shown = options.wide
    ? laidOut.length
    : fitting(
        laidOut.map(({ width }) => width),
        options.maxWidth,
      )
  const kept = laidOut.slice(0, shown)

  const headerLines = options.headers ? 1 : 0
  let text = ''
  for (let line = 0; line < rows.length + headerLines; line++) {
    const row = line < headerLines ? undefined : rows[line - headerLines]
    let written = ''
    let pending = ''
    for (const { column, texts, width } of kept) {
      const cell = texts[line] ?? ''
      const padding = ' '.repeat(width - displayWidth(cell))
      const painted = row === undefined ? cell : (column.paint?.(row)?.(cell) ?? cell)
      if (cell !== '') {
        written += column.align === 'right' ? pending + padding + painted : pending + painted
        pending = column.align === 'right' ? GAP : padding + GAP
      } else pending += padding + GAP
    }
    text += `${written}\n`
  }
  return { text, dropped: laidOut.slice(shown).map(({ column }) => column.header) }
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
