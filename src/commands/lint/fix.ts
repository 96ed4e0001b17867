/** `--fix`: changes the texts until nothing more can be fixed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { CliError, EXIT, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { applyEdits, compatibleEdits, editsOf } from '../../lint/edits.ts'
import { STDIN_NAME } from '../../sources/input.ts'
import { type Judgement, type Judging, judge } from './judge.ts'
import { type LintSource, type OpenFlags, type OpenOptions, openLintSource } from './open.ts'

export interface Fixed {
  /** The source with the changed texts, and what is left to find in it. */
  source: LintSource
  judgement: Judgement
  /** How many findings were fixed, and the texts of the files that changed. */
  count: number
  changed: ReadonlyMap<string, string>
}

/** Fixes that touch each other come one after the other; no file needs as many rounds. */
const MOST_ROUNDS = 20

/** Applies every fix that is an edit. Findings that are suppressed stay as they are. */
export async function fixAll(
  source: LintSource,
  flags: OpenFlags,
  options: OpenOptions,
  judging: Judging,
  io: Io,
): Promise<Fixed> {
  const changed = new Map<string, string>()
  let fixed: Fixed = { source, judgement: judge(source, judging), count: 0, changed }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { texts } = fixed.source
    const { edits, fixes } = compatibleEdits(fixed.judgement.findings.map((finding) => editsOf(finding, texts)))
    if (edits.size === 0) break
    for (const [file, ofFile] of edits) changed.set(file, applyEdits(texts.get(file)?.text ?? '', ofFile))
    const next = await openLintSource(flags, { ...options, texts: withInput(fixed.source, changed) }, io)
    fixed = { source: next, judgement: judge(next, judging), changed, count: fixed.count + fixes }
  }
  return fixed
}

/** Standard input can be read only once. */
function withInput({ texts }: LintSource, changed: ReadonlyMap<string, string>): Map<string, string> {
  const input = texts.get(STDIN_NAME)
  return new Map([...(input ? [[STDIN_NAME, input.text] as const] : []), ...changed])
}

/** All texts, those that did not change as well, so that the output can be applied or replace its file. */
export function fixedText({ source: { texts } }: Fixed): string {
  const all = [...texts.values()].map(({ text }) => text)
  return all.length === 0
    ? ''
    : all.reduce((before, text) => `${before}${before.endsWith('\n') ? '' : '\n'}---\n${text}`)
}

const BYTE_ORDER_MARK = '\ufeff'

/** @throws CliError */
export function writeFixed({ changed }: Fixed): void {
  for (const [file, text] of changed) {
    try {
      const mark = readFileSync(file, 'utf8').startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
      writeFileSync(file, mark + text)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CliError({ exitCode: EXIT.usage, what: `${file} cannot be written`, why })
    }
  }
}

/** @throws CliError where there is no file to change */
export function requireFiles({ from }: OpenFlags, write: boolean): void {
  if (from.length === 0) throw usageError('--fix without files', 'only files can be fixed', 'name them')
  if (write && from.includes('-')) {
    throw usageError(
      '--write with standard input',
      'there is no file to write',
      'leave --write out to have it on stdout',
    )
  }
}
