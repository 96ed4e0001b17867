/** Which limiter is active, for people. */
import type { StatusFinding, StatusOfServer } from '../analysis/status.ts'
import type { Evidence } from '../metrics/mode.ts'
import type { InflightLimit } from '../metrics/server-state.ts'
import type { Painter } from '../ui/colour.ts'
import { age, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import type { Coverage } from './contract.ts'
import { featuresOf } from './status-document.ts'

const DECIDES: Readonly<Record<string, string>> = {
  APF: 'APF decides',
  MaxInFlight: 'APF is off, the max-in-flight limiter decides',
  Unlimited: 'nothing limits requests',
  NotAPF: 'APF is off',
  Unknown: 'which limiter decides is not known',
}

/** Everything in one line. */
export function statusVerdict(servers: readonly StatusOfServer[], { reached, total }: Coverage): string {
  const modes = new Set(servers.map(({ server }) => server.mode.mode))
  const [mode = 'Unknown'] = modes
  const of = total === null || total < reached ? reached : total
  const missing = of > reached ? `; ${of - reached} could not be asked` : ''
  if (modes.size > 1) return `the ${reached} API servers that were asked differ in what limits requests${missing}`
  if (of === 1) return `${DECIDES[mode]} on this API server`
  const agree = reached > 1 && mode !== 'Unknown' ? '; they agree' : ''
  return `${DECIDES[mode]} on ${reached} of ${of} API servers${agree}${missing}`
}

export function statusColumns(now: number, paint: Painter): Column<StatusOfServer>[] {
  return [
    { header: 'SERVER', value: ({ server }) => server.name },
    { header: 'VERSION', value: ({ server: { version } }) => (version === null ? '?' : `v${version}`) },
    {
      header: 'MODE',
      value: ({ server }) => server.mode.mode,
      paint: ({ server: { mode } }) =>
        mode.mode === 'APF' ? paint.green : mode.mode === 'Unknown' ? paint.yellow : paint.red,
    },
    { header: 'SEATS', align: 'right', value: seatsOf },
    {
      header: 'SINCE',
      value: ({ server }) => since(server, now),
    },
    { header: 'EVIDENCE', value: ({ server }) => server.mode.evidence.length },
    { header: 'ADDRESS', wide: true, value: ({ server }) => server.address ?? '-' },
    { header: 'SEATS FROM', wide: true, value: ({ limit }) => limit.source ?? '-' },
  ]
}

/** How long a server that was asked runs; of a saved state when it was started. */
function since({ startedAt, address }: StatusOfServer['server'], now: number): string {
  if (startedAt === null) return '?'
  return address === null ? new Date(startedAt * 1000).toISOString().slice(0, 16) : age(now / 1000 - startedAt)
}

/** Total seats, or the two limits of the other limiter. */
function seatsOf({ server, limit }: StatusOfServer): string {
  const { mode } = server.mode
  if (mode === 'MaxInFlight') return `${inflight(server.readLimit)} reads, ${inflight(server.mutatingLimit)} writes`
  if (mode === 'Unlimited') return 'no limit'
  return limit.value === null ? '?' : thousands(limit.value)
}

function inflight(limit: InflightLimit | null): string {
  if (limit === null) return '?'
  if ('unlimited' in limit) return 'any'
  return 'limit' in limit ? thousands(limit.limit) : `${limit.atLeast}–${limit.atMost}`
}

/** A piece of evidence with the servers that it was found at. */
export interface EvidenceRow extends Evidence {
  servers: string[]
}

/** Evidence that was found alike at several servers stands once. */
export function evidenceRows(servers: readonly StatusOfServer[]): EvidenceRow[] {
  const rows = new Map<string, EvidenceRow>()
  for (const { server } of servers) {
    for (const evidence of server.mode.evidence) {
      const key = JSON.stringify([evidence.what, evidence.says, evidence.strength])
      const row = rows.get(key) ?? { ...evidence, servers: [] }
      row.servers.push(server.name)
      rows.set(key, row)
    }
  }
  return [...rows.values()]
}

export function evidenceColumns(several: boolean, all: number): Column<EvidenceRow>[] {
  return [
    { header: 'SAYS', value: ({ says }) => says },
    { header: 'STRENGTH', value: ({ strength }) => strength },
    ...(several
      ? [
          {
            header: 'SERVERS',
            value: ({ servers }: EvidenceRow) => (servers.length === all ? 'all' : servers.join(' ')),
          },
        ]
      : []),
    { header: 'EVIDENCE', cuts: true, value: ({ what }) => what },
  ]
}

const FEATURES = {
  borrowing: ['levels borrow', 'levels do not borrow'],
  exemptSeats: ['exempt has seats', 'exempt has no seats'],
  zeroShares: ['0 shares are allowed', 'levels have 1 share at least'],
  watchList: ['watches may begin with a list', 'watches never begin with a list'],
  listsCostByObjects: ['lists cost by their objects', 'every list costs 1 seat (a regression of these releases)'],
} as const

/** What the releases do that changes answers, one line for each; unasked only what nobody would expect. */
export function featureLines(servers: readonly StatusOfServer[], all: boolean): string[] {
  const lines = new Set<string>()
  for (const { server, rules } of servers) {
    if (rules === null) continue
    const features = featuresOf(rules, server.featureGates)
    if (!all && features.listsCostByObjects) continue
    const shown = Object.entries(FEATURES).filter(([name]) => all || name === 'listsCostByObjects')
    const facts = shown.map(([name, [on, off]]) => (Reflect.get(features, name) === true ? on : off))
    lines.add(`v${server.version}: ${facts.join(', ')}`)
  }
  return [...lines]
}

export function findingLines(findings: readonly StatusFinding[]): string[] {
  return findings.map(({ rule, severity, message }) => `${severity === 'info' ? ' ' : '!'} ${message}  [${rule}]`)
}

/** What is not known, and which servers could not be asked. */
export function unknownLines(servers: readonly StatusOfServer[], { unreachable }: Coverage): string[] {
  const seats = servers
    .filter(({ server, limit }) => server.mode.mode === 'APF' && limit.value === null)
    .flatMap(({ server }) => {
      const reason = server.unknown.find(({ field }) => field === 'metrics' || field === 'serverSeats')
      return reason === undefined
        ? []
        : [`? SEATS of ${server.name}: ${reason.field === 'metrics' ? 'metrics: ' : ''}${reason.why}`]
    })
  return [...seats, ...unreachable.map(({ name, why }) => `? ${name}: ${why}`)]
}
