/** The in-flight limits of an API server, for people. */
import { thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import type { InflightLimits } from './limits-contract.ts'

type Pool = InflightLimits['pools'][number]

export function inflightVerdict({ mode, errors, pools }: InflightLimits): string {
  switch (mode) {
    case 'Refused':
      return `the API server does not start: ${errors.join('; ')}`
    case 'APF':
      return `APF decides: ${thousands(pools[0]?.limit ?? 0)} seats on each API server, shared by all priority levels`
    case 'Unlimited':
      return 'nothing limits requests: the filter is not even installed, and nobody is ever answered 429 by it'
    case 'MaxInFlight':
      return `two counters decide: ${pools.map(poolText).join(', ')} in flight at once, on each API server`
  }
}

function poolText({ pool, limit }: Pool): string {
  return `${limit === null ? 'any number of' : thousands(limit)} ${pool}`
}

const WHO: Readonly<Record<Pool['pool'], string>> = {
  all: 'all but long-running and exempt requests; a wide LIST takes several',
  reads: 'get and list; GET of paths',
  writes: 'all else: reviews, evictions, bindings, HEAD and OPTIONS of paths',
}

export function inflightColumns(): Column<Pool>[] {
  return [
    { header: 'POOL', value: ({ pool }) => pool },
    { header: 'LIMIT', align: 'right', value: ({ limit }) => (limit === null ? 'none' : thousands(limit)) },
    { header: 'UNIT', value: ({ unit }) => unit },
    { header: 'COUNTED', value: ({ measured }) => (measured ? 'yes' : 'no') },
    { header: 'WHO', cuts: true, value: ({ pool }) => WHO[pool] },
  ]
}
