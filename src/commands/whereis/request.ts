/** `whereis` for one request in words or as a URL, with the requests that kubectl sends besides. */
import { type WhereisAnswer, whereis } from '../../analysis/whereis.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { isRefused, type RefusedTarget } from '../../apf/request-info.ts'
import { EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { printDocument, printTable } from '../../cli/print.ts'
import { describeSource } from '../../cli/source.ts'
import { isArgumentProblem } from '../../kubectl/note.ts'
import { requestPhrase } from '../../kubectl/phrase.ts'
import type { PlannedRequest, PlannedRequests } from '../../kubectl/planned-request.ts'
import { requestsFromArguments } from '../../kubectl/request-arguments.ts'
import { requestFromUrl } from '../../kubectl/request-url.ts'
import type { Whereis } from '../../report/contract.ts'
import { toJsonLine } from '../../report/document.ts'
import { flowSchemaName } from '../../report/names.ts'
import { refusedDocument, whereisDocument } from '../../report/whereis-document.ts'
import {
  factLines,
  facts,
  PASSED_OVER_COLUMNS,
  passedOver,
  sourceUnknowns,
  unknownLines,
  verdict,
} from '../../report/whereis-text.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import type { Column } from '../../ui/table.ts'
import type { Asked } from './context.ts'

/** @throws CliError (exit 2) for words that are no request */
export async function answerRequest(words: readonly string[], asked: Asked, io: Io): Promise<ExitCode> {
  const { subject, state, context, flags } = asked
  const planned = plan(words, flags)
  if (isRefused(planned)) return printRefused(planned, asked, io)
  printNotes(
    planned.notes.map(({ message }) => message),
    flags.quiet,
    io,
  )
  const answers = planned.requests.map((request) => {
    const answer = whereis({ ...subject, request: request.attributes }, context)
    answer.unknowns.push(...sourceUnknowns(state.serverVersion))
    return { request, answer }
  })
  switch (flags.output) {
    case 'json':
    case 'yaml': {
      const [main, ...others] = byImportance(answers).map((each) => document(each, asked))
      await printDocument({ ...main, ...(others.length > 0 ? { alsoSent: others } : {}) }, flags.output, io)
      break
    }
    case 'jsonl':
      for (const each of answers) await io.stdout.write(toJsonLine(document(each, asked)))
      break
    case 'name':
      await io.stdout.write(answers.map(({ answer }) => nameLine(answer)).join(''))
      break
    default:
      await printText(byImportance(answers), asked, io)
  }
  return EXIT.ok
}

/** The server answers such a request before APF could see it; that is an answer too. */
async function printRefused({ refused, httpStatus }: RefusedTarget, asked: Asked, io: Io): Promise<ExitCode> {
  const { subject, state, flags } = asked
  const document = refusedDocument(subject.identity, refused, describeSource(state))
  if (flags.output === 'json' || flags.output === 'yaml') await printDocument(document, flags.output, io)
  else if (flags.output === 'jsonl') await io.stdout.write(toJsonLine(document))
  else if (flags.output !== 'name') {
    const who = escapeForTerminal(subject.identity.name)
    await io.stdout.write(
      `This request by ${who} lands nowhere: the API server answers ${httpStatus} before APF sees it\n\n`,
    )
    await io.stdout.write(factLines([{ name: 'why', text: refused }]))
  }
  return EXIT.ok
}

interface Answered {
  request: PlannedRequest
  answer: WhereisAnswer
}

/** The request that the words are about first. */
function byImportance(answers: readonly Answered[]): Answered[] {
  return [...answers].sort((a, b) => Number(b.request.primary) - Number(a.request.primary))
}

function plan(words: readonly string[], flags: Asked['flags']): PlannedRequests | RefusedTarget {
  const [verb = '', resource, name, ...rest] = words
  const planned =
    flags.url === undefined
      ? requestsFromArguments({
          verb,
          resource,
          name,
          rest,
          namespace: flags.namespace,
          allNamespaces: flags['all-namespaces'],
        })
      : requestFromUrl(flags.url, flags.method)
  if (!isArgumentProblem(planned)) return planned
  if (planned.refused) return planned.refused
  throw usageError(planned.problem, undefined, planned.fix)
}

function document({ request, answer }: Answered, { subject, state }: Asked): Whereis {
  return whereisDocument(answer, subject.identity, request.attributes, describeSource(state))
}

function nameLine({ outcome }: WhereisAnswer): string {
  if (outcome.outcome !== 'classified') return ''
  return `${escapeForTerminal(flowSchemaName(outcome.entry.schema.metadata.name))}\n`
}

async function printText([main, ...others]: readonly Answered[], asked: Asked, io: Io): Promise<void> {
  if (!main) return
  const { subject, seats, flags } = asked
  const { answer, request } = main
  const { attributes } = request
  const { identity } = subject
  const wide = flags.output === 'wide'
  await io.stdout.write(`${escapeForTerminal(verdict(answer, requestPhrase(attributes), identity))}\n\n`)
  await io.stdout.write(factLines(facts(answer, identity, attributes, seats)))
  if (others.length > 0) {
    await io.stdout.write('\n')
    await printTable(indented(ALSO_SENT_COLUMNS), others, flags, io)
  }
  const { shown, hidden } = passedOver(answer.trace, wide)
  if (shown.length > 0) {
    await io.stdout.write('\n')
    await printTable(indented(PASSED_OVER_COLUMNS), shown, flags, io)
    if (hidden > 0) {
      await io.stdout.write(`  and ${hidden} more whose subjects or kind of request are others (-o wide shows them)\n`)
    }
  }
  // A request that bypasses APF leaves nothing open; those sent with it do.
  const open = [main, ...others].find(({ answer: { unknowns } }) => unknowns.length > 0)
  await io.stdout.write(unknownLines(open?.answer.unknowns ?? []))
}

const ALSO_SENT_COLUMNS: readonly Column<Answered>[] = [
  { header: 'ALSO SENT', value: ({ request }) => requestPhrase(request.attributes) },
  { header: 'LEVEL', value: ({ answer }) => landing(answer)?.level.metadata.name ?? '-' },
  {
    header: 'FLOWSCHEMA',
    value: ({ answer }) => {
      const schema = landing(answer)?.schema
      return schema ? `${schema.metadata.name} (${schema.spec.matchingPrecedence})` : 'not under APF'
    },
  },
  { header: 'WHY SENT', value: ({ request }) => request.purpose },
]

function landing({ outcome }: WhereisAnswer): EffectiveSchema | null {
  return outcome.outcome === 'classified' ? outcome.entry : null
}

/** A table that stands below a verdict. */
function indented<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map((column, i) =>
    i === 0 ? { ...column, header: `  ${column.header}`, value: (row: Row) => `  ${column.value(row)}` } : column,
  )
}
