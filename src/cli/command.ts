import type { ArgInput, FlagInput, OutputFlags } from '@oclif/core/interfaces'
import type { ExitCode } from './errors.ts'
import type { Io } from './io.ts'

export interface Example {
  /** What the example shows; one line. */
  says: string
  /** The command line behind `kubectl apf`, as a shell reads it from the root of the repository. */
  run: string
  /** It asks a live cluster: without one it can be parsed, but not run. */
  needs?: 'cluster'
}

/** One command: what its help says beyond the summary in the manifest, what it takes, what it does. */
export interface Command<F extends FlagInput = FlagInput> {
  description: string
  /** What stands behind `kubectl apf` in the usage lines. */
  usage: readonly string[]
  /** Positional words, for help and for counting; none: no word is accepted. */
  args: ArgInput
  /** True: any number of words beyond `args`. */
  extraWords?: boolean
  /** Said of an unknown flag that resembles none of ours. */
  unknownFlag?: string
  flags: F
  examples: readonly Example[]
  run(invocation: Invocation<F>, io: Io): Promise<ExitCode>
}

/** A call of a command after parsing. */
export interface Invocation<F extends FlagInput = FlagInput> {
  flags: OutputFlags<F>
  /** Positional words in order. */
  words: readonly string[]
  /** How many of the words stood before `--`; null without `--`. */
  wordsBeforeDash: number | null
}

/** Gives a command its exact flag types. */
export function defineCommand<F extends FlagInput>(command: Command<F>): Command<F> {
  return command
}
