import type { FlagInput } from '@oclif/core/interfaces'
import { NEWEST_MINOR, OLDEST_MINOR } from '../apf/versions.ts'
import { normaliseArgv } from '../cli/argv.ts'
import { defineCommand } from '../cli/command.ts'
import { EXIT } from '../cli/errors.ts'
import { flagShapes } from '../cli/flags.ts'
import { isCommandName, manifest, visibleCommands } from '../cli/manifest.ts'

/** kubectl's directives: what the shell does with the candidates. */
const NO_FILES = ':4'
const FILES = ':0'

/** A word that may come next, and what it means. */
interface Candidate {
  word: string
  says: string
}

/** Flags whose values are names of files. */
const FILE_FLAGS: readonly string[] = [
  ...['from', 'metrics', 'requests', 'config', 'diff-base'],
  ...['kubeconfig', 'client-certificate', 'client-key', 'certificate-authority'],
]

export default defineCommand({
  description:
    'Called by kubectl through kubectl_complete-apf: prints the words that may stand last, then a directive.',
  usage: ['__complete WORD...'],
  args: {},
  extraWords: true,
  flags: {},
  examples: [],
  async run({ words }, io) {
    const { candidates, directive } = await complete(words)
    await io.stdout.write([...candidates.map(({ word, says }) => `${word}\t${says}`), directive, ''].join('\n'))
    return EXIT.ok
  },
})

async function complete(words: readonly string[]): Promise<{ candidates: Candidate[]; directive: string }> {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const none = { candidates: [], directive: NO_FILES }
  if (before.includes('--')) return none
  const { command, words: behind } = normaliseArgv(words, flagShapes())
  if (command === last && behind.length === 0) {
    return { candidates: beginningWith(last, commandCandidates()), directive: NO_FILES }
  }
  if (command === null || !isCommandName(command)) return none
  const { flags } = (await manifest[command].load()).default
  const equals = last.startsWith('--') ? last.indexOf('=') : -1
  const flag = equals > 0 ? flagNamed(last.slice(0, equals), flags) : flagNamed(before.at(-1) ?? '', flags)
  if (flag !== null && FILE_FLAGS.includes(flag)) return { candidates: [], directive: FILES }
  if (flag !== null) {
    const stem = equals > 0 ? last.slice(0, equals + 1) : ''
    const values = flagValues(flag, flags).map((value) => ({ word: `${stem}${value}`, says: '' }))
    return { candidates: beginningWith(last, values), directive: NO_FILES }
  }
  if (!last.startsWith('-')) return await positional(command, last)
  return { candidates: beginningWith(last, flagCandidates(flags)), directive: NO_FILES }
}

/** Words that are no flags. */
async function positional(command: string, last: string): Promise<{ candidates: Candidate[]; directive: string }> {
  if (command === 'lint' || command === 'explain-429') return { candidates: [], directive: FILES }
  if (command !== 'explain') return { candidates: [], directive: NO_FILES }
  const { allTopics } = await import('./explain/topics.ts')
  const topics = allTopics().map(({ name, summary }) => ({ word: name, says: summary }))
  return { candidates: beginningWith(last, topics), directive: NO_FILES }
}

function commandCandidates(): Candidate[] {
  return visibleCommands().map((word) => ({ word, says: manifest[word].summary }))
}

function flagCandidates(flags: FlagInput): Candidate[] {
  return Object.entries(flags).map(([name, flag]) => ({ word: `--${name}`, says: flag.description ?? '' }))
}

/** Name of the flag that the word names and that takes a value. */
function flagNamed(word: string, flags: FlagInput): string | null {
  const found = Object.entries(flags).find(
    ([name, flag]) =>
      flag.type === 'option' && (word === `--${name}` || (flag.char !== undefined && word === `-${flag.char}`)),
  )
  return found?.[0] ?? null
}

function flagValues(name: string, flags: FlagInput): string[] {
  if (name === 'defaults' || name === 'server-version' || name === 'target') {
    return Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, i) => `1.${NEWEST_MINOR - i}`)
  }
  const flag = flags[name]
  return flag?.type === 'option' ? (flag.options ?? []).map(String) : []
}

function beginningWith(start: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(start))
}
