/** Reports into files, besides what is printed: `--report FORMAT=FILE`. */
import { writeFileSync } from 'node:fs'
import { CliError, EXIT, usageError } from './errors.ts'

export interface ReportFile<Format extends string> {
  format: Format
  file: string
}

/** The values of `--report FORMAT=FILE`. @throws CliError */
export function parseReports<Format extends string>(
  values: readonly string[],
  formats: readonly Format[],
): ReportFile<Format>[] {
  return values.map((value) => {
    const [name = '', ...rest] = value.split('=')
    const format = formats.find((each) => each === name)
    const file = rest.join('=')
    if (format !== undefined && file !== '') return { format, file }
    const why = format === undefined ? `the formats are ${formats.join(', ')}` : 'the file is missing'
    throw usageError(`--report ${value} is not FORMAT=FILE`, why, `--report ${format ?? 'json'}=FILE`)
  })
}

/** @throws CliError for a file that cannot be written */
export async function writeReports<Format extends string>(
  reports: readonly ReportFile<Format>[],
  textIn: (format: Format) => Promise<string>,
): Promise<void> {
  for (const { format, file } of reports) {
    const text = await textIn(format)
    try {
      writeFileSync(file, text)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CliError({ exitCode: EXIT.unanswered, what: `the report ${file} cannot be written`, why })
    }
  }
}
