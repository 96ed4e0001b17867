/** What lint needs of the text of a file. */
export interface LintText {
  file: string
  text: string
  /** From 1; columns count UTF-16 units. */
  positionAt(offset: number): { line: number; column: number }
}

/** A change to a text; offsets in UTF-16 units, the end excluded. */
export interface TextEdit {
  file: string
  start: number
  end: number
  newText: string
}
