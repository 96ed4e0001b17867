/**
 * From an argument vector to an exit code. A command in the manifest is dispatched straight to its module; oclif's parser
 * reads its flags, the rest of oclif is loaded for help alone.
 */
import { nearest } from '../apf/suggest.ts'
import { type Argv, normaliseArgv } from './argv.ts'
import type { Command } from './command.ts'
import { type CliError, EXIT, type ExitCode, usageError } from './errors.ts'
import { COLOURS, flagShapes } from './flags.ts'
import { type Io, processIo } from './io.ts'
import { type CommandName, isCommandName, manifest, visibleCommands } from './manifest.ts'
import { printFailure } from './messages.ts'
import { parseInvocation } from './parse.ts'

/** Runs the program in this process. @returns its exit code, also after errors */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  // What escapes every await is a bug as well, and is told as one.
  process.once('uncaughtException', (error) => process.exit(printFailure(error, io)))
  try {
    return await run(argv, io)
  } catch (error) {
    return printFailure(error, io)
  }
}

async function run(typed: readonly string[], io: Io): Promise<ExitCode> {
  // The line to complete is data: none of its words is a flag of ours.
  const line = typed[0] === '__complete' ? ['__complete', '--', ...typed.slice(1)] : typed
  const argv = normaliseArgv(line, flagShapes())
  io.colour = COLOURS.find((when) => argv.flags.includes(`--color=${when}`)) ?? 'auto'

  const name = argv.command ?? (argv.version ? 'version' : 'help')
  if (name === 'help') return help(argv, io)
  if (!isCommandName(name)) throw unknownCommand(name)
  if (argv.help) return printHelp(name, io)
  const command: Command = (await manifest[name].load()).default
  return command.run(await parseInvocation(name, command, argv), io)
}

/** `help`, `help COMMAND`, and a line without a command. */
function help({ command, flags, words, help }: Argv, io: Io): Promise<ExitCode> {
  if (command === null && !help && flags[0] !== undefined) {
    throw usageError(`no command in front of ${flags[0]}`, undefined, 'kubectl apf --help')
  }
  const name = words.find((word) => word !== 'help') ?? null
  if (name !== null && !isCommandName(name)) throw unknownCommand(name)
  return printHelp(name, io)
}

async function printHelp(name: CommandName | null, io: Io): Promise<ExitCode> {
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
