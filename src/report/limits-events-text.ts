/** The limits of EventRateLimit, for people. */
import { counted, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import type { EventLimitEntry, EventLimits, EventRefusal, EventSimulation } from './limits-contract.ts'

export function eventsVerdict({ valid, errors, limits, simulation }: EventLimits): string {
  if (!valid) return `kube-apiserver does not start with this configuration: ${counted(errors.length, 'error')}`
  if (simulation !== null) {
    const { charged, refused } = simulation
    if (refused === 0) return `none of ${counted(charged, 'event')} would be refused`
    return `${thousands(refused)} of ${counted(charged, 'event')} would be refused`
  }
  return `kube-apiserver takes this configuration: ${counted(limits.length, 'limit')}, every one charged for each event`
}

/** What the server prints, and where each error stands. */
export function errorLines({ file, errors, startError }: EventLimits): string[] {
  return [
    ...errors.map(({ text, line }) => `  ${[file, line].filter((part) => part !== null).join(':')}: ${text}`),
    ...(startError === null ? [] : ['', '  as it says itself:', `  ${startError}`]),
  ]
}

export function eventsColumns(): Column<EventLimitEntry>[] {
  return [
    { header: 'LIMIT', align: 'right', value: ({ index }) => index },
    { header: 'TYPE', value: ({ type }) => type },
    { header: 'QPS', align: 'right', value: ({ qps }) => thousands(qps) },
    { header: 'BURST', align: 'right', value: ({ burst }) => thousands(burst) },
    { header: 'BUCKETS', align: 'right', value: ({ cacheSize }) => (cacheSize === null ? 1 : thousands(cacheSize)) },
    { header: 'A BUCKET FOR EACH', cuts: true, value: ({ key }) => key },
  ]
}

export interface RefusedByRow {
  limit: string
  refused: number
  evictions: number
  key: string
}

export function refusedByRows({ refusedBy }: EventSimulation): RefusedByRow[] {
  return refusedBy
    .filter(({ refused, evictions }) => refused > 0 || evictions > 0)
    .flatMap(({ limit, type, refused, evictions, keys }) => {
      const [first, ...others] = keys
      const row = { limit: `${limit} ${type}`, refused, evictions, key: keyText(first) }
      return [row, ...others.map((key) => ({ limit: '', refused: key.refused, evictions: 0, key: keyText(key) }))]
    })
}

function keyText(key: { key: string; refused: number } | undefined): string {
  if (key === undefined) return '-'
  return `${key.key === '' ? 'everybody' : key.key} (${thousands(key.refused)})`
}

export function refusedByColumns(): Column<RefusedByRow>[] {
  return [
    { header: 'REFUSED BY', value: ({ limit }) => limit },
    { header: 'EVENTS', align: 'right', value: ({ refused }) => thousands(refused) },
    { header: 'DROPPED BUCKETS', align: 'right', value: ({ evictions }) => thousands(evictions) },
    { header: 'MOST OF THEM FOR', cuts: true, value: ({ key }) => key },
  ]
}

export function refusalColumns(): Column<EventRefusal>[] {
  return [
    { header: 'TIME', value: ({ at }) => at },
    { header: 'NAMESPACE', value: ({ namespace }) => namespace },
    { header: 'USER', cuts: true, value: ({ user }) => user ?? '?' },
    { header: 'OBJECT', cuts: true, value: ({ object }) => object },
    { header: 'REFUSED BY', value: ({ limits }) => limits.map(({ limit, type }) => `${limit} ${type}`).join(', ') },
  ]
}

export function simulationLines({ writes, charged, notCharged, assumptions }: EventSimulation): string[] {
  return [
    `${counted(writes, 'write')} read, ${thousands(charged)} of them charged`,
    ...notCharged.map(({ why, count }) => `  ${thousands(count)} not charged: ${why}`),
    ...assumptions.map((assumption) => `  assumed: ${assumption}`),
  ]
}
