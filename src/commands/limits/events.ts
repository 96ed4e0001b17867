/** `limits events`: a configuration of EventRateLimit, checked, explained, and played. */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { type FieldPath, formatFieldPath } from '../../apf/problem.ts'
import { NEWEST_MINOR } from '../../apf/versions.ts'
import { type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { type OutputFlagValues, printDocument, printTable } from '../../cli/print.ts'
import {
  type ConfigurationRules,
  configurationRules,
  type EventLimit,
  limitsInForce,
  startError,
} from '../../limiters/event-rate-limit.ts'
import { eventAdvice, KEY_TEXTS, NOT_COVERED } from '../../limiters/event-rate-limit-advice.ts'
import {
  type DecodedConfiguration,
  isAdmissionConfiguration,
  isConfiguration,
  meantType,
  noConfiguration,
  readConfiguration,
  readOuter,
} from '../../limiters/event-rate-limit-file.ts'
import { replayEvents } from '../../limiters/event-replay.ts'
import type { Advice } from '../../limiters/settings.ts'
import { API_VERSION, type EventLimits, type EventSimulation } from '../../report/contract.ts'
import {
  errorLines,
  eventsColumns,
  eventsVerdict,
  refusalColumns,
  refusedByColumns,
  refusedByRows,
  simulationLines,
} from '../../report/limits-events-text.ts'
import { adviceLines, asText } from '../../report/limits-lines.ts'
import type { SourceDocument } from '../../sources/source-text.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { adviceDocument } from './advice.ts'
import { type EventStream, readEventStream } from './event-stream.ts'
import { minorFlag, type ReadFile, readSettings, verdictExit } from './read.ts'

export interface EventsFlagValues extends OutputFlagValues {
  config?: string[] | undefined
  events?: string | undefined
  'server-version'?: string | undefined
}

/** @returns findings (1) where the server does not start with the configuration */
export async function limitsEvents(flags: EventsFlagValues, io: Io): Promise<ExitCode> {
  const [path, ...others] = flags.config ?? []
  if (path === undefined) {
    throw usageError('limits events without a configuration', undefined, 'kubectl apf limits events --config FILE')
  }
  if (others.length > 0) throw usageError('--config twice', 'a server has one configuration of the plugin')
  if (path === '-' && flags.events === '-')
    throw usageError('--config - with --events -', 'standard input can be read only once')
  const minor =
    flags['server-version'] === undefined ? NEWEST_MINOR : minorFlag('server-version', flags['server-version'])
  const file = await readSettings(path, io)
  const found = await configurationIn(file, minor, io)
  const { decoded } = found
  const limits = decoded.errors.length === 0 ? limitsInForce(decoded.limits ?? []) : []
  const stream = flags.events === undefined || limits.length === 0 ? null : await readEventStream(flags.events, io)
  if (stream !== null && stream.malformed > 0) {
    printNotes([`${stream.malformed} lines of ${flags.events} could not be read, and were left out`], flags.quiet, io)
  }
  const document: EventLimits = {
    apiVersion: API_VERSION,
    kind: 'EventLimits',
    file: found.file,
    serverVersion: `1.${minor}`,
    valid: decoded.errors.length === 0,
    errors: decoded.errors.map(({ field, text }) => ({ field, text, line: found.lineOf(field) })),
    startError: decoded.errors.length === 0 ? null : (found.startError ?? startError(decoded.errors)),
    limits: limits.map((limit, index) => ({ index, ...limit, key: KEY_TEXTS[limit.type] })),
    notCovered: [...NOT_COVERED],
    simulation: stream === null ? null : simulate(flags.events ?? '', stream, limits),
    advice: adviceDocument([...found.advice, ...typeAdvice(decoded), ...eventAdvice(limits, decoded.ignored)]),
  }
  await print(document, flags, io)
  return verdictExit(document.valid)
}

interface Found {
  decoded: DecodedConfiguration
  file: string
  lineOf(field: string): number | null
  /** The whole text where it is not the plugin that fails; null: it is. */
  startError: string | null
  advice: Advice[]
}

/** The configuration of the plugin, in a file of its own or in or through an AdmissionConfiguration. */
async function configurationIn(file: ReadFile, minor: number, io: Io): Promise<Found> {
  const rules = configurationRules(minor)
  const outer = file.documents.find(({ value }) => isAdmissionConfiguration(value))
  if (outer === undefined) return own(file, rules)
  const configuration = readOuter(outer.value, strictDuplicates(outer, file.text))
  if ('error' in configuration) {
    const errors = [{ field: '', text: configuration.error }]
    return { ...bare(file), decoded: { limits: null, errors, ignored: [] }, startError: configuration.error }
  }
  if ('absent' in configuration) {
    const advice = configuration.similar.map(
      (name): Advice => ({
        severity: 'warning',
        setting: 'plugins[].name',
        message: `there is no entry EventRateLimit, but one of ${name}, which the server passes over in silence`,
        fix: 'write EventRateLimit',
      }),
    )
    return { ...bare(file), decoded: noConfiguration(rules), advice }
  }
  if ('path' in configuration) return throughPath(configuration.path, file, rules, io)
  const { embedded, entry, pathIgnored } = configuration
  const decoded = readConfiguration(embedded, JSON.stringify(embedded), rules)
  const lineOf = lineIn(outer, ['plugins', entry, 'configuration'])
  const advice: Advice[] =
    pathIgnored === null
      ? []
      : [
          {
            severity: 'warning',
            setting: 'plugins[].path',
            message: `${pathIgnored} is not even opened: the embedded configuration wins`,
            fix: 'keep one of them',
          },
        ]
  return { ...bare(file), decoded, lineOf, advice }
}

/** The file of the plugin as the outer one names it, relative to its own folder. */
async function throughPath(named: string, file: ReadFile, rules: ConfigurationRules, io: Io): Promise<Found> {
  const path = isAbsolute(named) ? named : join(dirname(file.file), named)
  if (existsSync(path)) return own(await readSettings(path, io), rules)
  if (!file.documents.some(({ value }) => isConfiguration(value))) {
    throw usageError(
      `${path}, which ${file.file} names, is not there`,
      "an API server that cannot open it ends with: Couldn't open admission plugin configuration",
      'give the file of the plugin itself: --config FILE',
    )
  }
  const message = `${named} is not there: the Configuration in the same file was taken, which a server does not look at`
  const found = own(file, rules)
  return { ...found, advice: [{ severity: 'warning', setting: 'plugins[].path', message }, ...found.advice] }
}

function own(file: ReadFile, rules: ConfigurationRules): Found {
  const document = file.documents.find(({ value }) => isConfiguration(value)) ?? file.documents[0]
  const decoded = readConfiguration(document?.value ?? null, file.text, rules)
  if (document === undefined) return { ...bare(file), decoded }
  return { ...bare(file), decoded, lineOf: lineIn(document, []), advice: duplicateAdvice(document) }
}

function bare(file: ReadFile): Found {
  const decoded = { limits: null, errors: [], ignored: [] }
  return { decoded, file: file.file, lineOf: () => null, startError: null, advice: [] }
}

/** @param base  where the configuration stands in the document */
function lineIn(document: SourceDocument, base: FieldPath): Found['lineOf'] {
  return (field) => (field === '' ? null : document.locate([...base, ...pathOf(field)]).line)
}

/** Of a key that stands twice the plugin's decoder takes the last. */
function duplicateAdvice({ duplicateKeys }: SourceDocument): Advice[] {
  return duplicateKeys.map(({ path, at, first }) => ({
    severity: 'warning',
    setting: formatFieldPath(path),
    message: `written in line ${first.line} and again in line ${at.line}: the last one counts, and the server says nothing`,
    fix: 'keep one of them',
  }))
}

/** What the strict decoder of the outer file says of keys that stand twice: YAML names lines, JSON names fields. */
function strictDuplicates({ duplicateKeys }: SourceDocument, text: string): string[] {
  if (text.trimStart().startsWith('{')) {
    // What is embedded there is kept as it is, and not looked into.
    return duplicateKeys
      .filter(({ path }) => !(path[0] === 'plugins' && path[2] === 'configuration' && path.length > 3))
      .map(({ path }) => `duplicate field "${formatFieldPath(path)}"`)
  }
  const lines = duplicateKeys.map(({ path, at }) => `\n  line ${at.line}: key "${path.at(-1)}" already set in map`)
  return lines.length === 0 ? [] : [`yaml: unmarshal errors:${lines.join('')}`]
}

/** `limits[0].qps` as steps. */
function pathOf(field: string): (string | number)[] {
  return [...field.matchAll(/([A-Za-z]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
}

/** Of a type that is refused, the one that was meant. */
function typeAdvice({ limits }: DecodedConfiguration): Advice[] {
  return (limits ?? []).flatMap(({ type }, index): Advice[] => {
    const meant = meantType(type)
    if (meant === null || meant === type) return []
    const setting = `limits[${index}].type`
    return [{ severity: 'warning', setting, message: `"${type}" is none of the types`, fix: `write ${meant}` }]
  })
}

const SHOWN_REFUSALS = 100
const SHOWN_KEYS = 5

function simulate(file: string, stream: EventStream, limits: readonly EventLimit[]): EventSimulation {
  const { charged, accepted, refused, notCharged, tallies } = replayEvents(limits, stream.writes, SHOWN_REFUSALS)
  const left = [...stream.left, ...notCharged].map(([why, count]) => ({ why, count }))
  return {
    file,
    writes: charged + left.reduce((sum, { count }) => sum + count, 0),
    charged,
    accepted,
    refused: charged - accepted,
    notCharged: left,
    refusedBy: tallies.map(({ keys, ...tally }, limit) => ({
      limit,
      type: limits[limit]?.type ?? '',
      ...tally,
      keys: keys.slice(0, SHOWN_KEYS),
    })),
    refusals: refused.map(({ write: { write, time, user, object }, verdict }) => ({
      at: new Date(Math.floor(time / 1000)).toISOString(),
      namespace: write.namespace,
      user: user ?? (write.user || null),
      object,
      limits: verdict.perLimit.filter(({ allowed }) => !allowed).map(({ limit, type, key }) => ({ limit, type, key })),
      message: verdict.message ?? '',
    })),
    assumptions: [
      'every bucket is full at the first of the events',
      ...stream.assumptions
        .filter(({ type }) => type === null || limits.some((limit) => limit.type === type))
        .map(({ text }) => text),
    ],
  }
}

const ROWS = 10

async function print(document: EventLimits, flags: EventsFlagValues, io: Io): Promise<void> {
  if (flags.output === 'json' || flags.output === 'yaml') return printDocument(document, flags.output, io)
  const { arrow } = symbolsFor(io.env)
  await io.stdout.write(asText([eventsVerdict(document)]))
  if (!document.valid) {
    await io.stdout.write(`\n${asText([...errorLines(document), ...adviceLines(document.advice, arrow)])}`)
    return
  }
  const { simulation } = document
  await io.stdout.write('\n')
  if (simulation !== null) {
    const rows = refusedByRows(simulation)
    if (rows.length > 0) {
      await printTable(refusedByColumns(), rows, flags, io)
      await io.stdout.write('\n')
      await printTable(refusalColumns(), simulation.refusals.slice(0, ROWS), flags, io)
      const more = simulation.refused - Math.min(ROWS, simulation.refusals.length)
      if (more > 0) await io.stdout.write(asText([`and ${more} more (-o json has the first ${SHOWN_REFUSALS})`]))
      await io.stdout.write('\n')
    }
    await io.stdout.write(`${asText(simulationLines(simulation))}\n`)
  }
  await printTable(eventsColumns(), document.limits, flags, io)
  const notCovered = ['not covered:', ...document.notCovered.map((each) => `  ${each}`)]
  for (const lines of [adviceLines(document.advice, arrow), notCovered]) {
    if (lines.length > 0) await io.stdout.write(`\n${asText(lines)}`)
  }
}
