/**
 * From an argument vector to an exit code. A command in the manifest is dispatched straight to its module; oclif's parser
 * reads its flags, the rest of oclif is loaded for help alone.
 */

import { nearest } from '../text/suggest.ts'
import { normaliseArgv } from './argv.ts'
import type { Command } from './command.ts'
import { type CliError, EXIT, type ExitCode, usageError } from './errors.ts'
import { COLOURS, flagShapes } from './flags.ts'
import { type Io, processIo } from './io.ts'
import { isCommandName, manifest, visibleCommands } from './manifest.ts'
import { printFailure } from './messages.ts'
import { parseInvocation } from './parse.ts'

/** Runs the program in this process. @returns its exit code, also after errors */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  try {
    return await run(argv, io)
  } catch (error) {
    return printFailure(error, io)
  }
}

async function run(typed: readonly string[], io: Io): Promise<ExitCode> {
  // The line to complete is data: none of its words is a flag of ours.
  if (typed[0] === '__complete') return dispatch('__complete', ['--', ...typed.slice(1)], io)
  return dispatch(null, typed, io)
}

async function dispatch(fixed: '__complete' | null, typed: readonly string[], io: Io): Promise<ExitCode> {
  const argv = normaliseArgv(fixed === null ? typed : [fixed, ...typed], flagShapes())
  io.colour = COLOURS.find((when) => argv.flags.includes(`--color=${when}`)) ?? 'auto'
  if (argv.command === null && argv.version) argv.command = 'version'
  if (argv.command === null) return help(null, argv.help || typed.length === 0, argv.flags, io)
  if (argv.command === 'help') return help(argv.words[0] ?? null, true, argv.flags, io)
  if (!isCommandName(argv.command)) throw unknownCommand(argv.command)
  if (argv.help) return help(argv.command, true, [], io)
  const command: Command = (await manifest[argv.command].load()).default
  return command.run(await parseInvocation(argv.command, command, argv), io)
}

async function help(name: string | null, asked: boolean, flags: readonly string[], io: Io): Promise<ExitCode> {
  if (!asked) throw usageError(`no command in front of ${flags[0]}`, undefined, 'kubectl apf --help')
  if (name !== null && !isCommandName(name)) throw unknownCommand(name)
  const { helpText } = await import('./help.ts')
  await io.stdout.write(await helpText(name, io))
  return EXIT.ok
}

function unknownCommand(typed: string): CliError {
  const meant = nearest(typed, visibleCommands())
  return usageError(
    `unknown command ${JSON.stringify(typed)}`,
    meant === null ? `there are ${visibleCommands().join(', ')}` : `did you mean ${meant}?`,
    'kubectl apf --help',
  )
}
