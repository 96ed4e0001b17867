/** Files with settings of limiters, as documents, and the values of flags. */
import type { Problem } from '../../apf/problem.ts'
import { CliError, EXIT, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printProblems } from '../../cli/messages.ts'
import { readDocuments } from '../../sources/documents.ts'
import { readInputFile, readInputStream, STDIN_NAME } from '../../sources/input.ts'
import { parseDuration } from '../../sources/live/duration.ts'
import { type SourceDocument, sourceText } from '../../sources/source-text.ts'

export interface ReadFile {
  /** As named in messages. */
  file: string
  text: string
  documents: SourceDocument[]
}

/**
 * Reads a file of settings whole.
 * @throws CliError (exit 2) where a part of it is no YAML or JSON, for then nothing is sure
 */
export async function readSettings(path: string, io: Io): Promise<ReadFile> {
  const input = path === '-' ? await readInputStream(STDIN_NAME, io.stdin) : readInputFile(path)
  if ('problem' in input) throw unusable([input.problem], io)
  const { file, text } = input.source
  const { documents, problems } = await readDocuments(input.source)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw unusable(errors, io)
  printProblems(problems, io)
  return { file, text, documents }
}

/** Text within a document, such as a value of a ConfigMap, as documents of its own; null where it is none. */
export async function readEmbedded(name: string, text: string): Promise<SourceDocument[] | null> {
  const { documents, problems } = await readDocuments(sourceText(name, text))
  return problems.some(({ severity }) => severity === 'error') ? null : documents
}

function unusable(problems: readonly Problem[], io: Io): CliError {
  const [first, ...others] = problems
  printProblems(others, io)
  const place = [first?.at?.file, first?.at?.line, first?.at?.column].filter((part) => part !== undefined).join(':')
  return new CliError({
    exitCode: EXIT.usage,
    what: `${place === '' ? '' : `${place}: `}${first?.message ?? 'cannot be read'}`,
    ...(first?.fix === undefined ? {} : { next: first.fix }),
  })
}

/** Nanoseconds of a flag; null where it is not given. */
export function durationFlag(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const milliseconds = parseDuration(text)
  if (milliseconds === null)
    throw usageError(`--${name} ${text} is no duration`, undefined, 'write it as 50ms or 1m30s')
  return Math.round(milliseconds * 1e6)
}

/** A number of a flag; null where it is not given. */
export function numberFlag(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw usageError(`--${name} ${text} is no number`)
  return value
}

/** An integer of a flag; null where it is not given. */
export function integerFlag(name: string, text: string | undefined): number | null {
  const value = numberFlag(name, text)
  if (value !== null && !Number.isSafeInteger(value)) throw usageError(`--${name} ${text} is no integer`)
  return value
}

/** Standard input can be read only once. */
export function refuseStdinTwice(name: string, paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length > 1) {
    throw usageError(`--${name} - twice`, 'standard input can be read only once')
  }
}

/** The minor of `1.27`, `v1.27.3` or `27`. */
export function minorFlag(name: string, text: string): number {
  // Libraries of Kubernetes count as 0.27.
  const [, minor, alone = minor] = /^v?(?:[01]\.(\d{1,3})(?:[.+-].*)?|(\d{1,3}))$/.exec(text) ?? []
  if (alone === undefined) throw usageError(`--${name} ${text} is no version`, undefined, 'write it as 1.27')
  return Number(alone)
}

/** Exit code where the settings are judged: the component refuses them, or takes them. */
export function verdictExit(valid: boolean): typeof EXIT.ok | typeof EXIT.findings {
  return valid ? EXIT.ok : EXIT.findings
}
