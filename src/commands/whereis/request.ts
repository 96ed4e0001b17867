/** `whereis` for one request in words or as a URL, with the requests that kubectl sends besides. */
import { type WhereisAnswer, whereis } from '../../analysis/whereis.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import { isRefused, type RefusedTarget } from '../../apf/request-info.ts'
import { EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { ownLandings } from '../../cli/own-requests.ts'
import { printDocument, printTable } from '../../cli/print.ts'
import { isLive } from '../../cli/source.ts'
import { type ArgumentProblem, isArgumentProblem } from '../../kubectl/note.ts'
import { requestPhrase } from '../../kubectl/phrase.ts'
import type { PlannedRequest, PlannedRequests } from '../../kubectl/planned-request.ts'
import { requestsFromArguments } from '../../kubectl/request-arguments.ts'
import { requestFromUrl } from '../../kubectl/request-url.ts'
import { builtInResources, type ResourceCatalog } from '../../kubectl/resources.ts'
import type { Whereis } from '../../report/contract.ts'
import { toJsonLine } from '../../report/document.ts'
import { flowSchemaName } from '../../report/names.ts'
import { verificationDocument, verificationInWords } from '../../report/verification.ts'
import { refusedDocument, whereisDocument, withoutLevelSettings } from '../../report/whereis-document.ts'
import {
  type Fact,
  factLines,
  facts,
  hiddenLine,
  PASSED_OVER_COLUMNS,
  passedOver,
  sourceUnknowns,
  unknownLines,
  verdict,
} from '../../report/whereis-text.ts'
import type { Verification } from '../../sources/live/verify.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import type { Column } from '../../ui/table.ts'
import { type Asked, ownRequestsFact, stateUnknowns } from './context.ts'
import type { Measured } from './live-metrics.ts'
import type { VerifiedAnswer } from './verify.ts'

/** @throws CliError (exit 2) for words that are no request */
export async function answerRequest(words: readonly string[], asked: Asked, io: Io): Promise<ExitCode> {
  const { planned, catalog, notes } = await plan(words, asked, io)
  if (isRefused(planned)) return printRefused(planned, asked, io)
  printNotes([...planned.notes.map(({ message }) => message), ...notes], asked.flags.quiet, io)
  const verified = await verifiedIfAsked(planned.requests, asked, io)
  const { asked: told, answers } = await answersTo(planned.requests, verified)
  await printAnswers(answers, told, catalog, io)
  return exitCodeOf(answers, io)
}

async function verifiedIfAsked(
  requests: readonly PlannedRequest[],
  asked: Asked,
  io: Io,
): Promise<VerifiedAnswer<Verification>> {
  if (!asked.flags.verify) return { asked, results: [] }
  const { verifyRequests } = await import('./verify.ts')
  return verifyRequests(
    requests.map(({ attributes }) => attributes),
    asked,
    io,
  )
}

async function answersTo(
  requests: readonly PlannedRequest[],
  verified: VerifiedAnswer<Verification>,
): Promise<{ asked: Asked; answers: Answered[] }> {
  const { results } = verified
  const [ofSource, { asked, unknowns: ofMetrics }] = await Promise.all([
    stateUnknowns(
      verified.asked,
      requests.map(({ attributes }) => attributes),
    ),
    withMetricsIfNeeded(requests, verified.asked),
  ])
  const answers = requests.map((request, i) => {
    const answer = answerTo(request, asked)
    const ofCost = isCostOpen(request, answer) ? ofMetrics : []
    answer.unknowns.push(...ofCost, ...sourceUnknowns(asked.state.serverVersion), ...ofSource)
    return { request, answer, verification: results[i] ?? null }
  })
  return { asked, answers }
}

function answerTo({ attributes, query }: PlannedRequest, { subject, context }: Asked): WhereisAnswer {
  return whereis({ ...subject, request: attributes, query: query ?? null }, context)
}

/**
 * A live server is asked for its metrics only if the user wants to know the cost, and an answer depends on them: nobody told
 * how much is stored, and the level that caps the cost is known. They may be many megabytes, on a server that is in trouble.
 */
async function withMetricsIfNeeded(requests: readonly PlannedRequest[], asked: Asked): Promise<Measured> {
  const { state, flags, levelsKnown } = asked
  const mayAsk = isLive(state) && flags.cost && levelsKnown && flags.objects === undefined
  if (!mayAsk || !requests.some((request) => isCostOpen(request, answerTo(request, asked)))) {
    return { asked, unknowns: [] }
  }
  const { withLiveMetrics } = await import('./live-metrics.ts')
  return withLiveMetrics(asked, state)
}

/** Of what a write costs metrics tell nothing: it depends on watches. */
function isCostOpen({ attributes: { verb } }: PlannedRequest, { outcome, work }: WhereisAnswer): boolean {
  return outcome.outcome === 'classified' && work === null && (verb === 'list' || verb === 'watch')
}

async function printAnswers(answers: readonly Answered[], asked: Asked, catalog: ResourceCatalog, io: Io) {
  switch (asked.flags.output) {
    case 'json':
    case 'yaml': {
      const [main, ...others] = byImportance(answers).map((each) => document(each, asked))
      const own = asked.subject.callerBy !== null && isLive(asked.state) ? ownLandings(asked.state) : null
      const answer = {
        ...main,
        ...(own === null ? {} : { ownRequests: own }),
        ...(others.length > 0 ? { alsoSent: others } : {}),
      }
      await printDocument(answer, asked.flags.output, io)
      break
    }
    case 'jsonl':
      for (const each of answers) await io.stdout.write(toJsonLine(document(each, asked)))
      break
    case 'name':
      await io.stdout.write(answers.map(({ answer }) => nameLine(answer)).join(''))
      break
    default:
      await printText(byImportance(answers), asked, catalog, io)
  }
}

/** The answer to the words is doubtful where the caller is; where verifying was asked for, it decides too. */
async function exitCodeOf(answers: readonly Answered[], io: Io): Promise<ExitCode> {
  const isDoubtful = answers.some(({ answer }) => answer.unknowns.some(({ code }) => code === 'caller'))
  const ofCaller = isDoubtful ? EXIT.unanswered : EXIT.ok
  const verifications = answers.flatMap(({ verification }) => verification ?? [])
  const ofWords = answers.filter(({ request }) => request.primary).flatMap(({ verification }) => verification ?? [])
  if (verifications.length === 0) return ofCaller
  const { exitCodeOfVerifications, printVerificationFailures } = await import('./verify.ts')
  printVerificationFailures(verifications, io)
  return worstExit(ofCaller, exitCodeOfVerifications(verifications, ofWords))
}

/** The server answers such a request before APF could see it; that is an answer too. */
async function printRefused({ refused, httpStatus }: RefusedTarget, asked: Asked, io: Io): Promise<ExitCode> {
  const { subject, source, flags } = asked
  const document = refusedDocument(subject.identity, refused, source)
  if (flags.output === 'json' || flags.output === 'yaml') await printDocument(document, flags.output, io)
  else if (flags.output === 'jsonl') await io.stdout.write(toJsonLine(document))
  else if (flags.output !== 'name') {
    const who = escapeForTerminal(subject.identity.name)
    await io.stdout.write(
      `This request by ${who} lands nowhere: the API server answers ${httpStatus} before APF sees it\n\n`,
    )
    const notVerified = { name: 'verified', text: 'not sent: APF does not see it, so that no header would tell' }
    await io.stdout.write(factLines([{ name: 'why', text: refused }, ...(flags.verify ? [notVerified] : [])]))
  }
  return flags.verify ? EXIT.unanswered : EXIT.ok
}

interface Answered {
  request: PlannedRequest
  answer: WhereisAnswer
  /** Null: not asked for. */
  verification: Verification | null
}

/** The request that the words are about first. */
function byImportance(answers: readonly Answered[]): Answered[] {
  return [...answers].sort((a, b) => Number(b.request.primary) - Number(a.request.primary))
}

interface Plan {
  planned: PlannedRequests | RefusedTarget
  catalog: ResourceCatalog
  notes: readonly string[]
}

async function plan(words: readonly string[], asked: Asked, io: Io): Promise<Plan> {
  const { planned, catalog, notes } = await requestsFrom(words, asked, io)
  if (!isArgumentProblem(planned)) return { planned, catalog, notes }
  if (planned.refused) return { planned: planned.refused, catalog, notes }
  throw usageError(planned.problem, undefined, planned.fix)
}

async function requestsFrom(
  words: readonly string[],
  { state, flags }: Asked,
  io: Io,
): Promise<{ planned: PlannedRequests | ArgumentProblem; catalog: ResourceCatalog; notes: readonly string[] }> {
  const catalog = builtInResources()
  if (flags.url !== undefined) return { planned: requestFromUrl(flags.url, flags.method), catalog, notes: [] }
  const [verb = '', resource, name, ...rest] = words
  const { namespace, 'all-namespaces': allNamespaces } = flags
  const given = { verb, resource, name, rest, namespace, allNamespaces }
  if (!isLive(state)) return { planned: requestsFromArguments(given, catalog), catalog, notes: [] }
  const { planOnServer } = await import('./live.ts')
  return planOnServer(given, state, io)
}

function document({ request, answer, verification }: Answered, { subject, source, levelsKnown }: Asked): Whereis {
  const known = whereisDocument(answer, subject.identity, request.attributes, source)
  const document = levelsKnown ? known : withoutLevelSettings(known)
  return verification === null ? document : { ...document, verified: [verificationDocument(verification)] }
}

function nameLine({ outcome }: WhereisAnswer): string {
  if (outcome.outcome !== 'classified') return ''
  return `${escapeForTerminal(flowSchemaName(outcome.entry.schema.metadata.name))}\n`
}

async function printText(
  [main, ...others]: readonly Answered[],
  asked: Asked,
  catalog: ResourceCatalog,
  io: Io,
): Promise<void> {
  if (!main) return
  const { subject, seats, flags } = asked
  const { answer, request } = main
  const { attributes } = request
  const { identity } = subject
  const wide = flags.output === 'wide'
  const phrase = requestPhrase(attributes, catalog)
  await io.stdout.write(`${escapeForTerminal(verdict(answer, phrase, identity, asked.fairnessIsOff))}\n\n`)
  await io.stdout.write(
    factLines([
      ...facts(answer, identity, attributes, seats, asked.levelsKnown),
      ...ownRequestsFact(asked),
      ...verifiedFact(main),
    ]),
  )
  if (others.length > 0) {
    await io.stdout.write('\n')
    await printTable(indented(alsoSentColumns(catalog, flags.verify)), others, flags, io)
  }
  const { shown, hidden } = passedOver(answer.trace, wide)
  if (shown.length > 0) {
    await io.stdout.write('\n')
    await printTable(indented(PASSED_OVER_COLUMNS), shown, flags, io)
  }
  await io.stdout.write(hiddenLine(shown.length, hidden))
  // A request that bypasses APF leaves nothing open; those sent with it do.
  const open = [main, ...others].find(({ answer: { unknowns } }) => unknowns.length > 0)
  await io.stdout.write(unknownLines(open?.answer.unknowns ?? []))
}

function verifiedFact({ verification }: Answered): Fact[] {
  return verification === null ? [] : [{ name: 'verified', text: verificationInWords(verification) }]
}

function alsoSentColumns(catalog: ResourceCatalog, isVerified: boolean): Column<Answered>[] {
  return [
    { header: 'ALSO SENT', value: ({ request }) => requestPhrase(request.attributes, catalog) },
    { header: 'LEVEL', value: ({ answer }) => landing(answer)?.level.metadata.name ?? '-' },
    {
      header: 'FLOWSCHEMA',
      value: ({ answer }) => {
        const schema = landing(answer)?.schema
        return schema ? `${schema.metadata.name} (${schema.spec.matchingPrecedence})` : 'not under APF'
      },
    },
    { header: 'WHY SENT', cuts: true, value: ({ request }) => request.purpose },
    ...(isVerified ? [VERIFIED_COLUMN] : []),
  ]
}

const VERIFIED_COLUMN: Column<Answered> = {
  header: 'VERIFIED',
  value: ({ verification }) => (verification === null ? '' : verificationInWords(verification)),
}

function landing({ outcome }: WhereisAnswer): EffectiveSchema | null {
  return outcome.outcome === 'classified' ? outcome.entry : null
}

/** A table that stands below a verdict. */
function indented<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map((column, i) =>
    i === 0 ? { ...column, header: `  ${column.header}`, value: (row: Row) => `  ${column.value(row)}` } : column,
  )
}
