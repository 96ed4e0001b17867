/** Formats of findings besides the table. */
export const REPORT_FORMATS = [
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
