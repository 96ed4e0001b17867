/** What the lists of a cluster cost, by the objects that a server counts. */
import type { VersionRules } from '../apf/versions.ts'
import type { ServerState } from '../metrics/server-state.ts'
import { countedObjects } from './counted-objects.ts'
import { plainWork } from './request-cost.ts'
import type { ListNeed } from './seats-change.ts'

/** The most expensive LIST of what the server counts, where no level caps it; null where it counts nothing. */
export function listNeed(server: ServerState, rules: VersionRules): ListNeed | null {
  let most: ListNeed | null = null
  for (const resource of server.storedObjects.keys()) {
    const [name = '', ...group] = resource.split('.')
    const stored = countedObjects(server, { resource: name, apiGroup: group.join('.') })
    if (stored === null || typeof stored === 'string') continue
    const request = { verb: 'list', name: '', resource: name, subresource: '' }
    const { initialSeats } = plainWork(request, stored, null, rules)
    if (most === null || initialSeats > most.seats) most = { resource, seats: initialSeats }
  }
  return most
}
