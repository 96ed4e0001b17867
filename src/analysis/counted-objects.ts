/** Numbers of stored objects, from what a server's metrics told to what its work estimate makes of them. */
import type { RequestAttributes } from '../apf/request.ts'
import type { StoredObjects } from '../apf/work-estimate.ts'
import type { ServerState } from '../metrics/server-state.ts'

/** What a server knows of the resource of a request; null where its metrics tell of no resource at all. */
export function countedObjects(
  { storedObjects }: Pick<ServerState, 'storedObjects'>,
  { resource, apiGroup }: Pick<RequestAttributes, 'resource' | 'apiGroup'>,
): StoredObjects | null {
  if (storedObjects.size === 0) return null
  const counted = storedObjects.get(apiGroup === '' ? resource : `${resource}.${apiGroup}`)
  if (counted === undefined) return 'unknown'
  const { count, bytes } = counted
  // A number that cannot be renewed gets stale.
  if (count === null) return 'stale'
  return { count, averageBytes: bytes === null || count === 0 ? null : Math.round(bytes / count) }
}
