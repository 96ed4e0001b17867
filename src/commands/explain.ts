import { defineCommand } from '../cli/command.ts'
import { EXIT, type ExitCode, usageError } from '../cli/errors.ts'
import { outputFlag, outputFlags } from '../cli/flags.ts'
import type { Io } from '../cli/io.ts'
import { printDocument, printTable, stdoutPainter } from '../cli/print.ts'
import { API_VERSION, type ExplainedTopic, type Explanation } from '../report/contract.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { symbolsFor } from '../ui/symbols.ts'
import { LINE_WIDTH, wrapped } from '../ui/wrap.ts'
import type { Topic } from './explain/topic.ts'
import { allTopics, nearestTopic, topicsOf } from './explain/topics.ts'

const flags = { output: outputFlag(['table', 'json', 'yaml', 'name']), ...outputFlags }

export default defineCommand({
  description:
    'Explains a rule of lint, a field of the two kinds, a concept, or a limiter on the path of a request. Without a word it lists ' +
    'what there is.',
  usage: ['explain [RULE | FIELD | CONCEPT | LIMITER]'],
  args: {},
  extraWords: true,
  flags,
  examples: [
    { says: 'A rule of lint', run: 'explain APF201' },
    { says: 'A field, by its path or its end', run: 'explain lendablePercent' },
    { says: 'A word of API Priority and Fairness', run: 'explain hand' },
    { says: 'Everything that can be explained', run: 'explain' },
  ],
  run: async ({ flags, words }, io) => {
    const topics = allTopics()
    const word = words.join(' ')
    return word === '' ? await printList(topics, flags, io) : await printTopics(wanted(word, topics), flags, io)
  },
})

type Flags = { output?: string | undefined; 'no-headers': boolean; quiet: boolean }

/** @throws CliError for a word that nothing is called */
function wanted(word: string, topics: readonly Topic[]): Topic[] {
  const found = topicsOf(word, topics)
  if (found.length > 0) return found
  const meant = nearestTopic(word, topics)
  const why = meant === null ? 'it is no rule, field, concept or limiter' : `did you mean ${meant}?`
  throw usageError(`nothing to explain is called ${JSON.stringify(word)}`, why, 'kubectl apf explain')
}

async function printList(topics: readonly Topic[], flags: Flags, io: Io): Promise<ExitCode> {
  if (flags.output === 'json' || flags.output === 'yaml') {
    await printDocument(explanation(topics.map((topic) => ({ ...documentOf(topic), text: null }))), flags.output, io)
  } else if (flags.output === 'name') {
    await io.stdout.write(topics.map(({ name }) => `${name}\n`).join(''))
  } else {
    const columns = [
      { header: 'KIND', value: ({ kind }: Topic) => kind },
      { header: 'NAME', value: ({ name }: Topic) => name },
      { header: 'SAYS', cuts: true as const, value: ({ summary }: Topic) => summary },
    ]
    await printTable(columns, topics, flags, io)
  }
  return EXIT.ok
}

async function printTopics(topics: readonly Topic[], flags: Flags, io: Io): Promise<ExitCode> {
  if (flags.output === 'json' || flags.output === 'yaml') {
    await printDocument(explanation(topics.map(documentOf)), flags.output, io)
  } else if (flags.output === 'name') {
    await io.stdout.write(topics.map(({ name }) => `${name}\n`).join(''))
  } else {
    await io.stdout.write(topics.map((topic) => topicText(topic, io)).join('\n'))
  }
  return EXIT.ok
}

function explanation(topics: ExplainedTopic[]): Explanation {
  return { apiVersion: API_VERSION, kind: 'Explanation', topics }
}

function documentOf({ kind, name, aliases, summary, text, see }: Topic): ExplainedTopic {
  return { kind, name, aliases: [...aliases], summary, text, see: [...see] }
}

function topicText({ kind, name, aliases, summary, text, commands, see }: Topic, io: Io): string {
  const paint = stdoutPainter(io)
  const { arrow } = symbolsFor(io.env)
  const title = kind === 'rule' ? `${name} ${aliases[0] ?? ''}` : name
  const heading = kind === 'field' || kind === 'rule' ? title : `${title}: ${summary}`
  const body = wrappedText(text, io.stdout.columns ?? LINE_WIDTH).replace(/^## (.*)$/gm, (_, words: string) =>
    paint.bold(words),
  )
  const hints = [...commands, ...see.map((other) => `explain ${other.replaceAll('[]', '')}`)]
  const lines = hints.map((hint) => `${arrow} kubectl apf ${escapeForTerminal(hint)}\n`).join('')
  return `${paint.bold(heading)}\n\n${body}\n${lines === '' ? '' : `\n${lines}`}`
}

/** Text at most so wide; what stands between fences stays as it is. */
function wrappedText(text: string, width: number): string {
  let inFence = false
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('```')) inFence = !inFence
    return inFence ? line : wrapped(line, '', Math.min(width, LINE_WIDTH)).join('\n')
  })
  return lines.join('\n')
}
