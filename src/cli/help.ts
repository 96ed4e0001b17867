/** Help texts, laid out by oclif over an in-memory plugin: nothing is discovered on disk. */
import type { Command as OclifCommand } from '@oclif/core/command'
import { Config } from '@oclif/core/config'
import { Help } from '@oclif/core/help'
import type { PJSON, Plugin } from '@oclif/core/interfaces'
import packageJson from '../../package.json' with { type: 'json' }
import type { Command } from './command.ts'
import type { Io } from './io.ts'
import { type CommandName, manifest, visibleCommands } from './manifest.ts'

/** Widest line of a help text; narrower terminals get theirs. */
const MAX_WIDTH = 100

const INTRODUCTION = `Diagnostics for API Priority and Fairness and every other limiter of the Kubernetes API`

/** Help of one command, or the list of commands. */
export async function helpText(name: CommandName | null, io: Io): Promise<string> {
  const maxWidth = Math.min(io.stdout.columns ?? MAX_WIDTH, MAX_WIDTH)
  const shown = name === null ? visibleCommands() : [name]
  const commands = await Promise.all(shown.map(async (id) => asOclif(id, (await manifest[id].load()).default)))
  const config = await inMemoryConfig(commands)
  const help = new TextHelp(config, { maxWidth, stripAnsi: true, flagSortOrder: 'none', docopts: false })
  const [command] = commands
  return name === null || command === undefined ? help.root() : `${manifest[name].summary}\n\n${help.of(command)}\n`
}

class TextHelp extends Help {
  of({ summary: _, ...command }: OclifCommand.Loadable): string {
    return this.formatCommand(command)
  }

  root(): string {
    const footer = '→ kubectl apf help COMMAND, or COMMAND --help, explains one of them'
    return `${this.formatRoot()}\n\n${this.formatCommands(this.sortedCommands)}\n\n${footer}\n`
  }
}

function inMemoryConfig(commands: OclifCommand.Loadable[]): Promise<Config> {
  const pjson: PJSON = {
    ...packageJson,
    description: INTRODUCTION,
    oclif: { bin: 'kubectl apf', topicSeparator: ' ' },
  }
  const root = import.meta.dirname ?? '/'
  const { name, version } = packageJson
  const plugin: Plugin = {
    _base: '@oclif/core',
    alias: name,
    name,
    version,
    pjson,
    root,
    type: 'core',
    isRoot: true,
    valid: true,
    moduleType: 'module',
    hasManifest: true,
    hooks: {},
    topics: [],
    options: { root },
    commandsDir: undefined,
    commands,
    commandIDs: commands.map(({ id }) => id),
    load: async () => {},
    // Commands are dispatched by main.ts, never through oclif.
    findCommand: (id: string) => Promise.reject(new Error(`${id} is not dispatched by oclif`)),
  }
  return Config.load({ root, pjson, plugins: new Map([[name, plugin]]), userPlugins: false, devPlugins: false })
}

/** A command as oclif keeps it in its manifest. */
function asOclif(id: CommandName, command: Command): OclifCommand.Loadable {
  const named = <T>(entries: Record<string, T>) =>
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { ...entry, name }]))
  return {
    id,
    summary: manifest[id].summary,
    description: command.description,
    usage: [...command.usage],
    args: named(command.args),
    flags: named(command.flags),
    examples: command.examples.map(({ says, run }) => ({ description: says, command: `kubectl apf ${run}` })),
    aliases: [],
    hiddenAliases: [],
    hidden: !visibleCommands().includes(id),
    strict: command.extraWords !== true,
    pluginAlias: packageJson.name,
    pluginName: packageJson.name,
    pluginType: 'core',
    load: () => Promise.reject(new Error(`${id} is not dispatched by oclif`)),
  }
}
