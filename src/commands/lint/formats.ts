/** Formats of findings; `wide` is the table with everything. */
export const FORMATS = [
  'table',
  'wide',
  'json',
  'yaml',
  'jsonl',
  'sarif',
  'junit',
  'github',
  'gitlab',
  'markdown',
  'checkstyle',
] as const

export type Format = (typeof FORMATS)[number]

/** Whether a text names one of them. */
export function isFormat(text: string): text is Format {
  return FORMATS.some((format) => format === text)
}
