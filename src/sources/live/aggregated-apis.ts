/** APIs behind the server: it classifies their requests first, and the backend, whose limits are not visible, again. */
import type { Client } from './client.ts'
import { isFault } from './exchange.ts'
import { fieldsOf } from './fields.ts'
import { isListFailure, listAll } from './listing.ts'

export interface AggregatedApi {
  group: string
  version: string
  /** `NAMESPACE/NAME` of the service that answers. */
  service: string
}

/** Every APIService with a service behind it, or why they are not known. */
export async function aggregatedApis(client: Client): Promise<{ apis: AggregatedApi[] } | { unknown: string }> {
  const listing = await listAll(client, '/apis/apiregistration.k8s.io/v1/apiservices')
  if (isListFailure(listing)) {
    const { result } = listing
    // A server without the aggregation layer.
    if (!isFault(result) && result.status === 404) return { apis: [] }
    return { unknown: `APIServices could not be listed (${isFault(result) ? result.fault : result.status})` }
  }
  return {
    apis: listing.items.flatMap((item) => {
      const spec = fieldsOf(item, '', []).object('spec')
      const service = spec?.object('service')
      if (!spec || !service) return []
      return [
        {
          group: spec.string('group'),
          version: spec.string('version'),
          service: `${service.string('namespace')}/${service.string('name')}`,
        },
      ]
    }),
  }
}
