/** `limits inflight`: what an API server makes of its in-flight flags. */
import { NEWEST_MINOR, OLDEST_MINOR, resolveVersion, type VersionRules } from '../../apf/versions.ts'
import { CliError, EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable } from '../../cli/print.ts'
import { flagsOf, shellWords } from '../../limiters/client-settings.ts'
import { type GivenInflightFlags, INFLIGHT_FACTS, inflightAnswer } from '../../limiters/max-in-flight.ts'
import { textsOf } from '../../limiters/plain-data.ts'
import { API_VERSION, type InflightLimits } from '../../report/contract.ts'
import { inflightColumns, inflightVerdict } from '../../report/limits-inflight-text.ts'
import { adviceLines, asText } from '../../report/limits-lines.ts'
import { symbolsFor } from '../../ui/symbols.ts'
import { wrapped } from '../../ui/wrap.ts'
import { adviceDocument } from './advice.ts'
import { minorFlag, readSettings, verdictExit } from './read.ts'

export interface InflightFlagValues extends OutputFlagValues {
  manifest?: string | undefined
  'max-requests-inflight'?: number | undefined
  'max-mutating-requests-inflight'?: number | undefined
  'enable-priority-and-fairness'?: boolean | undefined
  'feature-gates'?: string | undefined
  'server-version'?: string | undefined
}

/** @returns findings (1) where the server does not start with the flags */
export async function limitsInflight(flags: InflightFlagValues, io: Io): Promise<ExitCode> {
  const { source, given, version } = await givenFlags(flags, io)
  const minor = flags['server-version'] === undefined ? version : minorFlag('server-version', flags['server-version'])
  const answer = inflightAnswer(given, rulesOf(minor))
  const document: InflightLimits = {
    apiVersion: API_VERSION,
    kind: 'InflightLimits',
    source,
    serverVersion: `1.${minor}`,
    valid: answer.errors.length === 0,
    errors: answer.errors,
    mode: answer.mode,
    maxRequestsInflight: answer.settings?.maxRequestsInflight ?? null,
    maxMutatingRequestsInflight: answer.settings?.maxMutatingRequestsInflight ?? null,
    fairness: answer.settings?.fairness ?? null,
    pools: answer.pools,
    facts: INFLIGHT_FACTS.filter(({ mode }) => mode === answer.mode).map(({ says }) => says),
    advice: adviceDocument(answer.advice),
  }
  await print(document, flags, io)
  return verdictExit(document.valid)
}

/** @throws CliError (exit 3) for a release that is too old to be known */
function rulesOf(minor: number): VersionRules {
  const version = resolveVersion(`1.${minor}`)
  if (version.known) return version.rules
  throw new CliError({
    exitCode: EXIT.unanswered,
    what: `what a kube-apiserver of 1.${minor} does is not known`,
    why: `known are 1.${OLDEST_MINOR} to 1.${NEWEST_MINOR}`,
    next: `the nearest: --server-version ${version.nearest[0]}`,
  })
}

interface Given {
  source: string
  given: GivenInflightFlags
  /** Minor of the image, else the newest. */
  version: number
}

/** Flags of the command line stand above those of the manifest. */
async function givenFlags(flags: InflightFlagValues, io: Io): Promise<Given> {
  const text = (value: number | boolean | string | undefined) => (value === undefined ? null : String(value))
  const own: GivenInflightFlags = {
    maxRequestsInflight: text(flags['max-requests-inflight']),
    maxMutatingRequestsInflight: text(flags['max-mutating-requests-inflight']),
    enablePriorityAndFairness: text(flags['enable-priority-and-fairness']),
    featureGates: text(flags['feature-gates']),
  }
  if (flags.manifest === undefined) {
    const source = Object.values(own).some((value) => value !== null) ? 'flags' : 'defaults'
    return { source, given: own, version: NEWEST_MINOR }
  }
  const { file, documents } = await readSettings(flags.manifest, io)
  const server = documents.map(({ value }) => apiServerIn(value)).find((found) => found !== null)
  if (!server) {
    throw usageError(
      `${file} has no container that runs kube-apiserver`,
      'a static pod, or any object with a pod template, was expected',
      'give the file of /etc/kubernetes/manifests',
    )
  }
  const written = flagsOf(server.words)
  const given: GivenInflightFlags = {
    maxRequestsInflight: own.maxRequestsInflight ?? written.get('max-requests-inflight') ?? null,
    maxMutatingRequestsInflight:
      own.maxMutatingRequestsInflight ?? written.get('max-mutating-requests-inflight') ?? null,
    enablePriorityAndFairness: own.enablePriorityAndFairness ?? written.get('enable-priority-and-fairness') ?? null,
    featureGates: own.featureGates ?? written.get('feature-gates') ?? null,
  }
  return { source: file, given, version: server.minor ?? NEWEST_MINOR }
}

/** The container of an API server, wherever in the object it stands. */
function apiServerIn(value: unknown): { words: string[]; minor: number | null } | null {
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = apiServerIn(item)
      if (found !== null) return found
    }
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const words = [...textsOf(Reflect.get(value, 'command')), ...textsOf(Reflect.get(value, 'args'))].flatMap(shellWords)
  const image: unknown = Reflect.get(value, 'image')
  const imageText = typeof image === 'string' ? image : ''
  const runs = words.some((word) => /(?:^|\/)kube-apiserver$/.test(word)) || /\/kube-apiserver[:@]/.test(imageText)
  if (words.length > 0 && runs) {
    const [, minor] = /:v?1\.(\d+)/.exec(imageText) ?? []
    return { words, minor: minor === undefined ? null : Number(minor) }
  }
  return apiServerIn(Object.values(value))
}

async function print(document: InflightLimits, flags: InflightFlagValues, io: Io): Promise<void> {
  if (flags.output === 'json' || flags.output === 'yaml') return printDocument(document, flags.output, io)
  await io.stdout.write(asText([inflightVerdict(document)]))
  if (document.pools.length > 0) {
    await io.stdout.write('\n')
    await printTable(inflightColumns(), document.pools, flags, io)
  }
  const facts = document.valid ? document.facts.flatMap((fact) => wrapped(`  ${fact}`, '  ')) : []
  for (const lines of [facts, adviceLines(document.advice, symbolsFor(io.env).arrow)]) {
    if (lines.length > 0) await io.stdout.write(`\n${asText(lines)}`)
  }
}
