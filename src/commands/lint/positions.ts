/** Lines of the texts that were read, for reports. */
import type { SourceText } from '../../sources/source-text.ts'

export interface TextLines {
  /** Without its line end; undefined where the text is not known. */
  line(file: string, line: number): string | undefined
}

/** Splits a text when the first of its lines is asked for. */
export function placeTexts(texts: ReadonlyMap<string, SourceText>): TextLines {
  const split = new Map<string, string[]>()
  return {
    line(file, line) {
      const text = texts.get(file)?.text
      if (text === undefined) return undefined
      const lines = split.get(file) ?? text.split(/\r?\n/)
      split.set(file, lines)
      return lines[line - 1]
    },
  }
}
