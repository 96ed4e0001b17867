/** Flags and words of one call, parsed by oclif's parser; its errors in our wording. */
import type { FlagInput, OutputFlags } from '@oclif/core/interfaces'
import { parse } from '@oclif/core/parser'
import { nearest } from '../apf/suggest.ts'
import type { Argv } from './argv.ts'
import type { Command, Invocation } from './command.ts'
import { type CliError, usageError } from './errors.ts'

/** @throws CliError (exit 2) */
export async function parseInvocation<F extends FlagInput>(
  name: string,
  command: Command<F>,
  argv: Argv,
): Promise<Invocation<F>> {
  const { words, wordsBeforeDash } = argv
  try {
    // Words go behind `--`: oclif would take a word that looks like a flag for one, and would not keep their order.
    const parsed = await parse([...argv.flags, '--', ...words], {
      flags: command.flags,
      args: command.args,
      strict: command.extraWords !== true,
    })
    return { flags: parsed.flags as OutputFlags<F>, words, wordsBeforeDash }
  } catch (error) {
    throw inOurWords(name, command, error)
  }
}

function inOurWords(name: string, { flags, unknownFlag: hint }: Command, error: unknown): CliError | unknown {
  if (!(error instanceof Error) || !('oclif' in error)) return error
  const seeHelp = `kubectl apf ${name} --help`
  if ('flags' in error && Array.isArray(error.flags) && error.message.startsWith('Nonexistent flag')) {
    return unknownFlag(String(error.flags[0]), Object.keys(flags), hint, seeHelp)
  }
  const [what = '', ...why] = error.message
    .replace('See more help with --help', '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return usageError(what.charAt(0).toLowerCase() + what.slice(1), why.join(' '), seeHelp)
}

function unknownFlag(typed: string, known: readonly string[], hint: string | undefined, seeHelp: string): CliError {
  const flag = typed.replace(/=.*/s, '')
  const meant = nearest(flag.replace(/^-+/, ''), known)
  return usageError(`unknown flag ${flag}`, meant === null ? hint : `did you mean --${meant}?`, seeHelp)
}
