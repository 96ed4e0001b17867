/** `whereis` without a request: everything that the subject can reach. */
import { type FoldedRegion, foldMap } from '../../analysis/fold-map.ts'
import { subjectMap } from '../../analysis/subject-map.ts'
import { mapUnknowns } from '../../analysis/whereis.ts'
import { EXIT, type ExitCode } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printDocument, printTable } from '../../cli/print.ts'
import { describeSource } from '../../cli/source.ts'
import { toJsonLine } from '../../report/document.ts'
import { flowSchemaName } from '../../report/names.ts'
import { whereisMapDocument } from '../../report/whereis-document.ts'
import { sourceUnknowns, unknownLines } from '../../report/whereis-text.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import type { Column } from '../../ui/table.ts'
import type { Asked } from './context.ts'

export async function answerMap({ subject, state, context, flags }: Asked, io: Io): Promise<ExitCode> {
  const map = subjectMap(context.configuration, subject.identity, context.rules)
  const unknowns = [...mapUnknowns(subject, context), ...sourceUnknowns(state.serverVersion)]
  if (flags.output === 'json' || flags.output === 'yaml') {
    await printDocument(whereisMapDocument(map, describeSource(state), unknowns), flags.output, io)
  } else if (flags.output === 'jsonl') {
    for (const region of whereisMapDocument(map, describeSource(state), unknowns).regions) {
      await io.stdout.write(toJsonLine(region))
    }
  } else if (flags.output === 'name') {
    const names = map.regions.flatMap(({ schema }) => (schema ? [flowSchemaName(schema.schema.metadata.name)] : []))
    await io.stdout.write([...new Set(names)].map((name) => `${escapeForTerminal(name)}\n`).join(''))
  } else {
    const folded = foldMap(map, context.rules, flags.output === 'wide' ? WIDE : undefined)
    const levels = new Set(folded.flatMap(({ level }) => (level === null ? [] : [level])))
    const reached = `${levels.size} ${levels.size === 1 ? 'level' : 'levels'}`
    await io.stdout.write(`${escapeForTerminal(subject.identity.name)} reaches ${reached}\n\n`)
    await printTable(COLUMNS, folded.flatMap(rows), flags, io)
    await io.stdout.write(unknownLines(unknowns))
  }
  return EXIT.ok
}

const WIDE = { names: Number.POSITIVE_INFINITY, phrases: Number.POSITIVE_INFINITY }

interface Row {
  level: string
  flowSchema: string
  requests: string
}

/** A line for each phrase; names are not repeated below themselves. */
function rows({ level, flowSchema, requests }: FoldedRegion): Row[] {
  return requests.map((phrase, i) => ({
    level: i > 0 ? '' : (level ?? '-'),
    flowSchema: i > 0 ? '' : (flowSchema ?? 'not under APF'),
    requests: phrase,
  }))
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'LEVEL', value: ({ level }) => level },
  { header: 'FLOWSCHEMA', value: ({ flowSchema }) => flowSchema },
  { header: 'REQUESTS', value: ({ requests }) => requests },
]
