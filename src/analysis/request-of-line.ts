import { pathRequest, type RequestAttributes } from '../apf/request.ts'
import type { RequestLine } from '../regions/witness.ts'

/** The attributes of a complete request line. */
export function requestOfLine(line: RequestLine): RequestAttributes {
  if ('path' in line) return pathRequest(line.verb, line.path)
  const { verb, apiGroup, resource, subresource, namespace, name } = line
  return { ...pathRequest(verb, ''), isResourceRequest: true, apiGroup, resource, subresource, namespace, name }
}
