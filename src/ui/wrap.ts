/** Sentences on lines that are not too wide. */
import { displayWidth } from './width.ts'

/** Columns of sentences where no terminal tells another width, and at most. */
export const LINE_WIDTH = 100

/**
 * A line as several of at most `width` columns, broken between words. Only single spaces divide words, so that what is
 * aligned stays so; a word that is too long alone is left whole. Colours take no room.
 *
 * @param indent  what the lines behind the first begin with
 */
export function wrapped(line: string, indent: string, width = LINE_WIDTH): string[] {
  const lines: string[] = []
  let current: string | null = null
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const longer: string = current === null ? word : `${current} ${word}`
    if (current !== null && displayWidth(longer.replace(COLOURS, '')) > width) {
      lines.push(current)
      current = indent + word
    } else current = longer
  }
  return [...lines, current ?? '']
}

const COLOURS = /\x1b\[[0-9;]*m/g
