/** Workflow commands, which GitHub Actions shows at the lines of a change. */
import { escapeForTerminal } from '../ui/escape.ts'
import { type FindingsFormat, repositoryPath, wholeMessage } from './findings-format.ts'

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const

export const github: FindingsFormat = (report) =>
  report.findings
    .map((finding) => {
      const { file, line, column, endColumn, rule, name, severity } = finding
      const properties = {
        file: file === null ? null : repositoryPath(file),
        line: file === null ? null : line,
        col: file === null ? null : column,
        endColumn: file === null ? null : endColumn,
        title: `${rule} ${name}`,
      }
      const listed = Object.entries(properties)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => `${key}=${property(String(value))}`)
      return `::${COMMANDS[severity]} ${listed.join(',')}::${data(wholeMessage(finding, report))}\n`
    })
    .join('')

/** Escapes of the runner's own parser. */
export function data(text: string): string {
  return escapeForTerminal(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** The same for a property, in which `:` and `,` part things. */
export function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
