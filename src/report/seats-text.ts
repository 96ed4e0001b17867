/** The seats of each level for people: the verdict, one table for all servers, what the numbers hide. */
import {
  fairnessIsOff,
  fullness,
  type LevelAccount,
  nominalSum,
  type Quantile,
  type Quantiles,
  refusedPerSecond,
  type ServerAccount,
  type ServerSeatsLimit,
} from '../analysis/seats.ts'
import { mostWaitingOfFlow } from '../apf/wait-limit.ts'
import { bar } from '../ui/bar.ts'
import type { Painter } from '../ui/colour.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { rounded, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import type { Coverage } from './contract.ts'

/** What the seats of a server without flags are made of. */
const DEFAULT_FLAGS = '400 read-only + 200 mutating'

/** What is known of a running server stands in the table; null columns are left out where no server was asked. */
export interface SeatsView {
  servers: readonly ServerAccount[]
  /** A server was asked, or its metrics were read. */
  live: boolean
}

/** Everything in one line. */
export function seatsVerdict({ servers, live }: SeatsView): string {
  const totals = servers.map(({ limit }) => limit)
  if (!live && totals[0]?.source !== null) return offlineTotal(totals[0] ?? { value: null, source: null })
  const off = servers.filter(fairnessIsOff)
  if (off.length > 0) return offInWords(off, servers)
  return `${liveTotals(totals)}; ${pressureInWords(servers)}`
}

function offInWords(off: readonly ServerAccount[], servers: readonly ServerAccount[]): string {
  const where = servers.length === 1 ? 'this API server' : `${off.length} of ${servers.length} API servers`
  return `APF is off on ${where}: another limiter decides there, or none, and levels have no seats`
}

function offlineTotal({ value, source }: ServerSeatsLimit): string {
  if (value === null) return 'the seats of the API servers are not known'
  const seats = `${thousands(value)} seats on each API server`
  if (source === 'assumed-default') {
    return `${seats} ASSUMED: one without flags has them (${DEFAULT_FLAGS}); --server-seats tells others`
  }
  return source === 'inflight-flags' ? `${seats}, by its in-flight flags` : `${seats}, as given`
}

function liveTotals(totals: readonly ServerSeatsLimit[]): string {
  const [first] = totals
  if (first === undefined) return 'no API server could be asked'
  if (totals.length === 1) {
    return first.value === null
      ? 'the seats of this API server are not known'
      : `${thousands(first.value)} seats on this API server (${sourceInWords(first)})`
  }
  const values = new Set(totals.map(({ value }) => value))
  const count = `${totals.length} API servers`
  if (values.size === 1)
    return first.value === null ? `${count}, seats not known` : `${thousands(first.value)} seats on each of ${count}`
  return `${count} with ${totals.map(({ value }) => (value === null ? '?' : thousands(value))).join(', ')} seats`
}

function sourceInWords({ source }: ServerSeatsLimit): string {
  if (source === 'metrics') return 'from its metrics'
  return source === 'inflight-flags' ? 'by its in-flight flags' : 'as given'
}

/** Which levels are in trouble, worst first; they are sorted by pressure for that, whatever the table does. */
function pressureInWords(servers: readonly ServerAccount[]): string {
  const levels = servers.flatMap(({ levels }) => levels)
  const namesOf = (match: (level: LevelAccount) => boolean) => [
    ...new Set(levels.filter(match).map(({ name }) => name)),
  ]
  const refusing = namesOf((level) => refusedPerSecond(level) > 0)
  if (refusing.length > 0) {
    const full = namesOf((level) => refusing.includes(level.name) && (fullness(level) ?? 0) >= 1)
    return `${named(refusing)} ${full.length > 0 ? 'is full and refuses requests' : 'refuses requests'}`
  }
  const waiting = namesOf(({ waitingRequests }) => (waitingRequests ?? 0) > 0)
  if (waiting.length > 0) return `requests wait in ${named(waiting)}`
  const full = namesOf((level) => (fullness(level) ?? 0) >= 1)
  if (full.length > 0) return `${named(full)} is full`
  if (
    levels.every(({ waitingRequests, executingRequests }) => waitingRequests === null && executingRequests === null)
  ) {
    return 'what is in use is not known'
  }
  const refused = levels.reduce((sum, { rejected }) => sum + (rejected ?? 0), 0)
  return refused === 0 ? 'nothing waits' : `nothing waits; ${thousands(refused)} requests refused since the start`
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(escapeForTerminal)
  if (names.length > 3) return `${shown.join(', ')} and ${names.length - 3} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** A line of the table. */
export interface SeatsRow {
  server: string
  level: LevelAccount
}

export function seatsRows(servers: readonly ServerAccount[]): SeatsRow[] {
  return servers.flatMap(({ name, levels }) => levels.map((level) => ({ server: name, level })))
}

const BAR_WIDTH = 10

/** Columns of the table; those of a running server are left out where none was asked. */
export function seatsColumns({ servers, live }: SeatsView, paint: Painter, unicode: boolean): Column<SeatsRow>[] {
  const several = servers.length > 1
  const rows = seatsRows(servers)
  const hasLimits = rows.some(({ level }) => level.nominal !== null)
  const shares = { wide: live && hasLimits }
  const usedWidth = Math.max(0, ...rows.map(({ level }) => usedOf(level).length))
  const offline: Column<SeatsRow>[] = [
    number('SHARES', ({ shares }) => shares, shares),
    {
      ...number('OF ALL', () => null, shares),
      value: ({ level: { part } }) => (part === null ? '-' : percent(part)),
    },
    ...(rows.some(({ level }) => level.nominalBefore !== null)
      ? [number('BEFORE', ({ nominalBefore }) => nominalBefore)]
      : []),
    number('NOMINAL', ({ nominal }) => nominal),
    number('LENDABLE', ({ lendable }) => lendable, { wide: true }),
    number('GUARANTEED', ({ lower }) => lower, { wide: several }),
    number('UPPER', ({ upper }) => upper, { wide: true }),
    { ...number('REACHABLE', () => null, { wide: several }), value: ({ level }) => reachable(level) },
  ]
  const running: Column<SeatsRow>[] = [
    number('NOW', ({ current }) => current),
    {
      header: 'IN USE',
      value: ({ level }) => inUse(level, usedWidth, unicode),
      paint: ({ level }) => usePaint(level, paint),
    },
    number('REQUESTS', ({ executingRequests }) => executingRequests, { wide: true }),
    {
      ...number('WAITING', ({ waitingRequests }) => waitingRequests),
      paint: ({ level }) => ((level.waitingRequests ?? 0) > 0 ? paint.yellow : null),
    },
    {
      header: 'REFUSED',
      value: ({ level }) => refused(level),
      paint: ({ level }) => (refusedPerSecond(level) > 0 ? paint.red : null),
    },
    number('DEMAND', ({ demandHighWatermark }) => demandHighWatermark, { wide: true }),
    number('SMOOTHED', ({ demandSmoothed }) => demandSmoothed, { wide: true }),
    number('NEXT', ({ nextTarget }) => nextTarget, { wide: true }),
    { header: 'WAITED 50/99 %', align: 'right', wide: true, value: ({ level }) => quantiles(level.waited) },
    { header: 'EXECUTED 50/99 %', align: 'right', wide: true, value: ({ level }) => quantiles(level.executed) },
  ]
  return [
    ...(several ? [{ header: 'SERVER', value: ({ server }: SeatsRow) => server }] : []),
    { header: 'LEVEL', value: ({ level }) => level.name },
    { header: 'TYPE', value: ({ level }) => level.response ?? level.type ?? '?' },
    ...offline,
    ...(live ? running : []),
    number('ONE LIST', ({ maxSeatsPerRequest }) => maxSeatsPerRequest, { wide: live }),
    number('ONE WRITE', ({ maxFinalSeats }) => maxFinalSeats, { wide: true }),
    {
      header: 'ONE FLOW WAITS',
      align: 'right',
      wide: true,
      value: ({ level: { queuing } }) => (queuing === null ? '-' : thousands(mostWaitingOfFlow(queuing))),
    },
    {
      header: 'WAIT LIMIT',
      align: 'right',
      wide: true,
      value: ({ level: { waitLimitSeconds } }) => (waitLimitSeconds === null ? '-' : seconds(waitLimitSeconds)),
    },
  ]
}

function number(
  header: string,
  value: (level: LevelAccount) => number | null,
  { wide = false }: { wide?: boolean } = {},
): Column<SeatsRow> {
  return {
    header,
    align: 'right',
    ...(wide ? { wide: true } : {}),
    value: ({ level }) => numberOr(value(level), level),
  }
}

/** Before 1.28 the exempt level has no limits at all, which is no gap in what is known. */
function numberOr(value: number | null, { type, shares }: LevelAccount): string {
  if (value !== null) return rounded(value)
  return type === 'Exempt' && shares === null ? '-' : '?'
}

function quantiles(found: Quantiles | null): string {
  return found === null ? '-' : `${quantileText(found.half)} ${quantileText(found.most)}`
}

function quantileText({ value, exceeded }: Quantile): string {
  return `${exceeded ? '>' : ''}${seconds(value)}`
}

function seconds(value: number): string {
  return value < 1 ? `${rounded(value * 1000)}ms` : `${rounded(value)}s`
}

function percent(part: number): string {
  return `${rounded(part * 100)} %`
}

/** Nothing limits the exempt level. */
function reachable(level: LevelAccount): string {
  return level.type === 'Exempt' ? '-' : numberOr(level.reachable, level)
}

function usedOf({ type, executingSeats, executingRequests, current }: LevelAccount): string {
  const used = executingSeats ?? executingRequests
  if (used === null) return '?'
  return type === 'Exempt' ? thousands(used) : `${thousands(used)}/${current === null ? '?' : thousands(current)}`
}

function inUse(level: LevelAccount, width: number, unicode: boolean): string {
  const part = fullness(level)
  const cells = part === null ? '' : bar(part, BAR_WIDTH, unicode)
  return `${cells.padEnd(BAR_WIDTH)} ${usedOf(level).padStart(width)}`
}

function usePaint(level: LevelAccount, paint: Painter) {
  const part = fullness(level)
  if (part === null || part < 0.8) return null
  return part >= 1 ? paint.red : paint.yellow
}

function refused(level: LevelAccount): string {
  if (level.rejected === null) return '?'
  const rate = refusedPerSecond(level)
  return rate > 0 ? `${thousands(level.rejected)} (${rounded(rate)}/s)` : thousands(level.rejected)
}

/** What the table alone would hide, as sentences. */
export function seatsNotes({ servers, live }: SeatsView): string[] {
  return [...servers.flatMap((server) => roundingNote(server, servers.length > 1)), ...(live ? together(servers) : [])]
}

function roundingNote({ name, limit, levels }: ServerAccount, several: boolean): string[] {
  const sum = nominalSum(levels)
  if (limit.value === null || levels.some(({ type, nominal }) => nominal === null && type !== 'Exempt')) return []
  const excess = sum - limit.value
  if (excess <= 0) return []
  const where = several ? ` on ${name}` : ''
  return [
    `All nominal limits together${where} are ${thousands(sum)}, ${thousands(excess)} more than ${thousands(limit.value)}: each is rounded up.`,
  ]
}

/** Requests of several servers can be added up; seats cannot, since none can use those of another. */
function together(servers: readonly ServerAccount[]): string[] {
  if (servers.length < 2) return []
  const sum = (value: (level: LevelAccount) => number | null) => {
    const ofServers = servers.map(({ levels }) => levels.map(value).filter((each) => each !== null))
    const known = ofServers.flat()
    const total = thousands(known.reduce((all, each) => all + each, 0))
    if (known.length === 0) return '?'
    return ofServers.some((values) => values.length === 0) ? `at least ${total}` : total
  }
  return [
    `Together ${sum(({ executingRequests }) => executingRequests)} requests execute, ${sum(({ waitingRequests }) => waitingRequests)} wait, ${sum(({ rejected }) => rejected)} were refused since each server started.`,
  ]
}

/** Which API servers could not be asked, so that their numbers are not there. */
export function coverageNotes({ reached, total, unreachable }: Coverage): string[] {
  if (total !== null && reached >= total) return []
  const asked = total === null ? [] : [`${reached} of ${total} API servers were asked.`]
  return [...asked, ...unreachable.map(({ name, why }) => `? ${name}: ${why}`)]
}

/** Headers of the default table by the values below them. */
const HEADERS: Readonly<Record<string, string>> = {
  mode: 'which limiter decides',
  serverConcurrencyLimit: 'seats of the server',
  nominal: 'NOMINAL',
  lower: 'GUARANTEED',
  reachable: 'REACHABLE',
  current: 'NOW',
  executingSeats: 'IN USE',
  waitingRequests: 'WAITING',
  rejected: 'REFUSED',
}

/** Reasons of the question marks in the table, each once with the columns that it explains. */
export function unknownNotes({ servers }: SeatsView): string[] {
  const columnsOf = new Map<string, Set<string>>()
  for (const server of servers.filter((each) => !fairnessIsOff(each))) {
    const { name, unknown } = server
    for (const { field, why } of unknown) {
      const header = HEADERS[field.replace(/^.*\./, '')]
      const reason = servers.length > 1 ? `${why} (${name})` : why
      if (header !== undefined) columnsOf.set(reason, (columnsOf.get(reason) ?? new Set()).add(header))
    }
  }
  return [...columnsOf].map(([why, columns]) => `? ${[...columns].join(', ')}: ${why}`)
}
