/** Findings of throttling for people: the verdict, who throttles how often, then each kind with one example. */
import type { Account, AttributedItem, Group } from '../analysis/attributions.ts'
import type { Painter } from '../ui/colour.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { counted, thousands } from '../ui/numbers.ts'
import type { Symbols } from '../ui/symbols.ts'
import type { Column } from '../ui/table.ts'
import { wrapped } from '../ui/wrap.ts'
import type { AttributionCluster } from './attributions-contract.ts'
import type { InputRead } from './attributions-document.ts'

/** Who acts, by layer: the verdict names the actor before any detail. */
const ACTORS: Readonly<Record<string, string>> = {
  'client-rate-limiter': 'the client holds itself back',
  'client-retry': 'the client tries again what was refused',
  apf: 'API Priority and Fairness refused',
  'max-inflight': 'MaxInFlight refused',
  'apf-or-max-inflight': 'APF or MaxInFlight refused',
  'apf-or-aggregated': 'APF or an aggregated API refused',
  'server-429-unattributed': 'somebody answered 429, the text does not tell who',
  'event-rate-limit': 'EventRateLimit refused events',
  'event-recorder': 'events were dropped',
  'eviction-pdb': 'a PodDisruptionBudget forbids evictions',
  'watch-cache': 'the watch cache was not ready',
  'server-shutdown': 'an API server was shutting down',
  'server-startup': 'an API server was starting',
  'request-timeout': 'requests ran out of time',
  'admission-webhook': 'an admission webhook refused or failed',
  'aggregated-api': 'an aggregated API refused or was away',
  etcd: 'etcd refused',
  cilium: 'the Cilium agent limited its own API',
  kubelet: 'the kubelet limited image pulls',
  registry: 'an image registry refused',
  'external-proxy': 'a proxy in front refused',
  'cloud-api': "the cloud provider's API refused",
  http2: 'connections were closed for balance',
  'not-throttling': 'no throttling, though it looks so',
  unknown: '429 of unknown origin',
}

/** The first line of the answer. */
export function verdict({ groups, throttled }: Account, { lines, unread }: InputRead): string {
  const where = lines === 0 ? '' : ` in ${counted(lines, 'line')}`
  if (groups.length === 0 && unread > 0) {
    return lines === 0 ? 'nothing could be read' : `nothing is throttled${where} that could be read`
  }
  if (groups.length === 0) return `nothing is throttled${where}: no limiter that we know has written any of it`
  const actors = new Map<string, number>()
  for (const { layer, count } of groups) {
    const actor = ACTORS[layer] ?? layer
    actors.set(actor, (actors.get(actor) ?? 0) + count)
  }
  const [only] = actors.keys()
  const counts = [...actors].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
  const said = actors.size === 1 ? only : top(counts)
  return throttled === 0
    ? `nothing is throttled${where}: ${said}`
    : `${counted(throttled, 'throttled call')}${where}: ${said}`
}

/** @param wide  the example is the whole line, not only the first words of its message */
export function groupColumns(paint: Painter, wide: boolean): Column<Group>[] {
  return [
    { header: 'WHO THROTTLES', value: ({ layer }) => layer },
    { header: 'WHY', value: ({ reason }) => reason },
    { header: 'COUNT', align: 'right', value: ({ count }) => thousands(count) },
    {
      header: 'SURE',
      value: ({ confidence }) => confidence,
      paint: ({ confidence }) => (confidence === 'low' ? paint.yellow : null),
    },
    { header: 'FIRST', value: ({ first }) => clock(first) },
    { header: 'LINE', wide: true, value: ({ example }) => place(example) },
    { header: 'EXAMPLE', cuts: true, value: ({ example }) => (wide ? example.evidence : excerpt(example)) },
  ]
}

/** What stands in front of a message: times, the header of klog. */
const HEADER = /^(?:\d{4}-\d\d-\d\dT\S+ )?(?:(?:stdout|stderr) [FP] )?(?:[IWEF]\d{4} \S+\s+\d+ \S+\] )?/
const EXCERPT = 56

/** The first words of the message. */
function excerpt({ evidence }: AttributedItem): string {
  const message = evidence.replace(HEADER, '')
  return message.length > EXCERPT ? `${message.slice(0, EXCERPT)}…` : message
}

/** Behind the table: who was throttled, on which levels, and when. */
export function distribution({ clients, levels, overTime }: Account): string[] {
  const lines: string[] = []
  if (clients.length > 0) lines.push(`clients: ${top(clients)}`)
  if (levels.length > 0) lines.push(`levels: ${top(levels)}`)
  const [first] = overTime
  const last = overTime.at(-1)
  if (first !== undefined && last !== undefined && overTime.length > 1) {
    const peak = overTime.reduce((most, each) => (each.count > most.count ? each : most))
    lines.push(`over time: ${first.from} to ${last.from}, most at ${peak.from} (${thousands(peak.count)})`)
  }
  return lines.map(escapeForTerminal)
}

const MOST_NAMES = 5

function top(counts: readonly { name: string; count: number }[]): string {
  const shown = counts.slice(0, MOST_NAMES).map(({ name, count }) => `${name} (${thousands(count)})`)
  const more = counts.length - MOST_NAMES
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** One kind of finding, or one finding: what happened, what that proves, what to do. */
export function explanation(
  item: AttributedItem,
  cluster: AttributionCluster | null,
  paint: Painter,
  { arrow, separator }: Symbols,
): string {
  const head = `${paint.bold(`${item.layer}/${item.reason}`)} (${item.confidence})`
  const lines = [labelled(`${head}: `, item.says, '  ')]
  lines.push(labelled('  evidence  ', fieldsInWords(item, separator)))
  lines.push(labelled('  proves    ', item.proves))
  if (item.doesNotProve !== null) lines.push(labelled('  not       ', item.doesNotProve))
  if (item.settledBy !== null) lines.push(labelled('  settle by ', item.settledBy))
  for (const line of clusterLines(cluster)) lines.push(labelled('  cluster   ', line))
  lines.push(labelled(`  ${arrow} `, item.advice, '    '))
  if (item.command !== null) lines.push(`  ${arrow} kubectl apf ${item.command}`)
  return `${lines.join('\n')}\n`
}

/** Fields that say nothing to a person who sees the line. */
const FOR_PROGRAMS = new Set(['host', 'severity', 'era', 'format', 'wrapped', 'uuid', 'hasAuthorizationDecision'])

function fieldsInWords({ fields, evidence }: AttributedItem, separator: string): string {
  const told = Object.entries(fields).filter(([name, value]) => !FOR_PROGRAMS.has(name) && value !== null)
  if (told.length === 0) return escapeForTerminal(evidence)
  return told.map(([name, value]) => `${name} ${escapeForTerminal(inWords(value))}`).join(` ${separator} `)
}

/** Longer values are in the documents, whole. */
const MAX_VALUE = 300

function inWords(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function clusterLines(cluster: AttributionCluster | null): string[] {
  if (cluster === null) return []
  const { flowSchema, priorityLevel, by, levels, notes } = cluster
  const how = {
    uid: 'by the UIDs of the answer',
    name: 'as the evidence names them',
    classified: 'where the request lands',
  }
  const landing =
    flowSchema === null ? [] : [`FlowSchema ${flowSchema}, priority level ${priorityLevel ?? '?'} (${how[by]})`]
  const state = levels.map(({ server, nominal, current, executingSeats, waitingRequests, rejected }) => {
    const seats = `${executingSeats ?? '?'} of ${current ?? nominal ?? '?'} seats in use`
    return `${server}: ${seats}, ${waitingRequests ?? '?'} waiting, ${rejected ?? '?'} rejected since its start`
  })
  return [...landing, ...state, ...notes].map(escapeForTerminal)
}

/** One finding on one line, for a stream. */
export function findingLine(item: AttributedItem): string {
  const { layer, reason, confidence, time, evidence } = item
  return escapeForTerminal(
    [place(item), clock(time), `${layer}/${reason}`, confidence, evidence].filter(Boolean).join('  '),
  )
}

function place({ file, line }: AttributedItem): string {
  return [file, line].filter((part) => part !== null).join(':')
}

/** The time of the day, where there is one. */
function clock(time: string | null): string {
  if (time === null) return ''
  return /\d\d:\d\d:\d\d/.exec(time)?.[0] ?? time
}

/** A sentence behind its label. */
function labelled(label: string, sentence: string, indent = '            '): string {
  return wrapped(label + sentence, indent).join('\n')
}

/** The account as Markdown, for an issue or a chat. */
export function markdown(
  account: Account,
  read: InputRead,
  clusterOf: (item: AttributedItem) => AttributionCluster | null,
): string {
  const lines = [`**${markdownText(verdict(account, read))}**`, '']
  if (account.groups.length > 0) {
    lines.push('| who throttles | why | count | sure | first | example |', '|---|---|--:|---|---|---|')
    for (const { layer, reason, count, confidence, first, example } of account.groups) {
      const cells = [layer, reason, thousands(count), confidence, clock(first), markdownCode(example.evidence)]
      lines.push(`| ${cells.join(' | ')} |`)
    }
    lines.push('')
  }
  for (const line of distribution(account)) lines.push(`- ${markdownText(line)}`)
  for (const { example } of account.groups) lines.push('', ...markdownGroup(example, clusterOf(example)))
  return `${lines.join('\n')}\n`
}

function markdownGroup(item: AttributedItem, cluster: AttributionCluster | null): string[] {
  return [
    `### ${item.layer}/${item.reason}`,
    '',
    `${markdownText(item.says)}.`,
    '',
    `- proves: ${markdownText(item.proves)}`,
    ...(item.doesNotProve === null ? [] : [`- does not prove: ${markdownText(item.doesNotProve)}`]),
    ...(item.settledBy === null ? [] : [`- settled by: ${markdownText(item.settledBy)}`]),
    ...clusterLines(cluster).map((line) => `- cluster: ${markdownText(line)}`),
    `- do: ${markdownText(item.advice)}`,
    ...(item.command === null ? [] : [`- run: \`kubectl apf ${item.command}\``]),
  ]
}

function markdownText(text: string): string {
  return escapeForTerminal(text).replace(/[\\`*_{}[\]<>|#]/g, '\\$&')
}

/** In a table cell: neither a pipe nor a backtick may end it. */
function markdownCode(text: string): string {
  return `\`${escapeForTerminal(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``
}
