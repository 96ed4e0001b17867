/** `whereis` without a request: everything that the subject can reach. */
import { type FoldedRegion, foldMap } from '../../analysis/fold-map.ts'
import { type SubjectMap, subjectMap } from '../../analysis/subject-map.ts'
import { mapUnknowns, type Unknown } from '../../analysis/whereis.ts'
import { EXIT, type ExitCode, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { ownLandings } from '../../cli/own-requests.ts'
import { printDocument, printTable } from '../../cli/print.ts'
import { isLive } from '../../cli/source.ts'
import type { WhereisMap } from '../../report/contract.ts'
import { toJsonLine } from '../../report/document.ts'
import { flowSchemaName } from '../../report/names.ts'
import { verificationDocument, verificationInWords } from '../../report/verification.ts'
import { whereisMapDocument } from '../../report/whereis-document.ts'
import { FAIRNESS_IS_OFF, type Fact, factLines, sourceUnknowns, unknownLines } from '../../report/whereis-text.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import type { Column } from '../../ui/table.ts'
import { type Asked, ownRequestsFact, stateUnknowns } from './context.ts'
import type { VerifiedAnswer, VerifiedRegion } from './verify.ts'

export async function answerMap(given: Asked, io: Io): Promise<ExitCode> {
  const { asked, results } = await verifiedIfAsked(given, io)
  const { subject, state, context, flags } = asked
  const map = subjectMap(context.configuration, subject.identity, context.rules)
  const unknowns = [
    ...mapUnknowns(subject, context),
    ...sourceUnknowns(state.serverVersion),
    ...(await stateUnknowns(asked, [])),
  ]
  const document = () => documentOf(map, unknowns, asked, results)
  if (flags.output === 'json' || flags.output === 'yaml') await printDocument(document(), flags.output, io)
  else if (flags.output === 'jsonl') {
    for (const region of document().regions) await io.stdout.write(toJsonLine(region))
  } else if (flags.output === 'name') {
    const names = map.regions.flatMap(({ schema }) => (schema ? [flowSchemaName(schema.schema.metadata.name)] : []))
    await io.stdout.write([...new Set(names)].map((name) => `${escapeForTerminal(name)}\n`).join(''))
  } else {
    const folded = foldMap(map, context.rules, flags.output === 'wide' ? WIDE : undefined)
    await io.stdout.write(`${escapeForTerminal(mapVerdict(folded, asked))}\n\n`)
    await printTable(COLUMNS, folded.flatMap(rows), flags, io)
    const facts = [...ownRequestsFact(asked), ...mapVerificationFacts(results)]
    if (facts.length > 0) await io.stdout.write(`\n${factLines(facts)}`)
    await io.stdout.write(unknownLines(unknowns))
  }
  return exitCodeOf(unknowns, results, io)
}

async function verifiedIfAsked(asked: Asked, io: Io): Promise<VerifiedAnswer<VerifiedRegion>> {
  if (!asked.flags.verify) return { asked, results: [] }
  const { verifyMap } = await import('./verify.ts')
  return verifyMap(asked, io)
}

function mapVerdict(folded: readonly FoldedRegion[], { subject, fairnessIsOff }: Asked): string {
  const levels = new Set(folded.flatMap(({ level }) => (level === null ? [] : [level])))
  const reached = `${levels.size} ${levels.size === 1 ? 'level' : 'levels'}`
  const { name } = subject.identity
  return fairnessIsOff ? `${FAIRNESS_IS_OFF} ${name} would reach ${reached}` : `${name} reaches ${reached}`
}

function documentOf(
  map: SubjectMap,
  unknowns: readonly Unknown[],
  { subject, state, source }: Asked,
  results: readonly VerifiedRegion[],
): WhereisMap {
  const document = whereisMapDocument(map, source, unknowns)
  const regions = document.regions.map((region) => {
    const found = results.find(({ region: { schema } }) => schema?.schema.metadata.name === region.flowSchema)
    if (!found) return region
    return { ...region, verified: { ...verificationDocument(found.result), request: found.request } }
  })
  const own = subject.callerBy !== null && isLive(state) ? { ownRequests: ownLandings(state) } : {}
  return { ...document, regions, ...own }
}

/** The server's word on the regions, those together in which it agrees. */
function mapVerificationFacts(results: readonly VerifiedRegion[]): Fact[] {
  if (results.length === 0) return []
  const agreeing = results.filter(({ result }) => result.verdict === 'agrees')
  const others = results.filter(({ result }) => result.verdict !== 'agrees')
  const all = `${results.length} ${results.length === 1 ? 'FlowSchema' : 'FlowSchemas'}`
  const through = others.length === 0 ? `each of ${all}` : `${agreeing.length} of ${all}`
  return [
    { name: 'verified', text: `the server agrees on a read through ${through}` },
    ...others.map(({ region, request, result }) => ({
      name: '',
      text: `${region.schema?.schema.metadata.name}: ${request === null ? 'no harmless read lands there' : verificationInWords(result)}`,
    })),
  ]
}

async function exitCodeOf(unknowns: readonly Unknown[], results: readonly VerifiedRegion[], io: Io): Promise<ExitCode> {
  const ofCaller = unknowns.some(({ code }) => code === 'caller') ? EXIT.unanswered : EXIT.ok
  if (results.length === 0) return ofCaller
  const { exitCodeOfVerifications, printVerificationFailures } = await import('./verify.ts')
  const verifications = results.map(({ result }) => result)
  printVerificationFailures(verifications, io)
  return worstExit(ofCaller, exitCodeOfVerifications(verifications, []))
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
  { header: 'REQUESTS', cuts: true, value: ({ requests }) => requests },
]
