/** What goes to stderr: failures in three lines, problems of the input, notes. */
import type { Problem } from '../apf/problem.ts'
import { painter } from '../ui/colour.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { symbolsFor } from '../ui/symbols.ts'
import { CliError, EXIT, type ExitCode, type Failure } from './errors.ts'
import type { Io } from './io.ts'

/** Prints why a command ended early. @returns its exit code */
export function printFailure(error: unknown, io: Io): ExitCode {
  const failure = error instanceof CliError ? error.failure : internalFailure(error)
  void io.stderr.write(formatFailure(failure, io))
  return failure.exitCode
}

export function formatFailure({ what, why, next }: Failure, io: Io): string {
  const paint = painter(io.stderr, io.env, io.colour)
  const lines = [`${paint.red('error:')} ${escapeForTerminal(what)}`]
  if (why) lines.push(`  ${escapeForTerminal(why)}`)
  if (next) lines.push(`  ${symbolsFor(io.env).arrow} ${escapeForTerminal(next)}`)
  return `${lines.join('\n')}\n`
}

/** A bug of ours: the answer could not be obtained. Its stack would tell the user nothing. */
function internalFailure(error: unknown): Failure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    exitCode: EXIT.unanswered,
    what: `internal error: ${message.split('\n')[0] ?? ''}`,
    why: 'this is a bug of kubectl-apf, nothing in the input should cause it',
    next: 'report it with the command line and the input: `kubectl apf version` names the version',
  }
}

/** `FILE:LINE:COLUMN: severity: message` and a line on how to fix it. */
export function printProblems(problems: readonly Problem[], io: Io): void {
  // Opening stderr costs milliseconds of a short answer.
  if (problems.length === 0) return
  const paint = painter(io.stderr, io.env, io.colour)
  for (const { severity, message, fix, at } of problems) {
    const colour = severity === 'error' ? paint.red : severity === 'warning' ? paint.yellow : paint.dim
    const place = [at?.file, at?.line, at?.column].filter((part) => part !== undefined).join(':')
    const where = place === '' ? '' : `${escapeForTerminal(place)}: `
    void io.stderr.write(`${where}${colour(`${severity}:`)} ${escapeForTerminal(message)}\n`)
    if (fix !== undefined) void io.stderr.write(`  ${symbolsFor(io.env).arrow} ${escapeForTerminal(fix)}\n`)
  }
}

/** Sentences on sources and decisions; silenced by --quiet. */
export function printNotes(notes: readonly string[], quiet: boolean, io: Io): void {
  if (quiet) return
  for (const note of notes) void io.stderr.write(`${escapeForTerminal(note)}\n`)
}
