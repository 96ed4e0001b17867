/** Runs lint over a text, as the command does. */
import { minorText, VERSION_TABLE } from '../../src/apf/versions.ts'
import type { Io } from '../../src/cli/io.ts'
import { type Judgement, type Judging, judge } from '../../src/commands/lint/judge.ts'
import { type LintSource, openLintSource } from '../../src/commands/lint/open.ts'

export const MINORS = VERSION_TABLE.map(({ minor }) => minorText(minor))

export const TODAY = '2026-11-30'

export interface LintedText extends Judgement {
  source: LintSource
}

export interface LintTextOptions extends Partial<Judging> {
  /** Minors whose default objects the text is laid over. */
  targets?: readonly string[]
}

/** The text is read as standard input is; the file is named `<stdin>`. */
export async function lintText(
  text: string,
  { targets = ['1.34'], ...judging }: LintTextOptions = {},
): Promise<LintedText> {
  const sink = { write: () => undefined, isTTY: false, columns: null }
  const io: Io = { stdin: bytes(text), stdout: sink, stderr: sink, env: {}, colour: 'never' }
  const flags = {
    from: ['-'],
    'overlay-defaults': false,
    quiet: true,
    verbose: false,
    'insecure-skip-tls-verify': false,
  }
  const source = await openLintSource(flags, { targets }, io)
  const defaults: Judging = { severities: new Map(), options: {}, complete: false, serverSeats: null, today: TODAY }
  return { source, ...judge(source, { ...defaults, ...judging }) }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
