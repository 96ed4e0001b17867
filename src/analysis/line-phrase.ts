/** A request with its identity in a phrase. */
import { pathRequest } from '../apf/request.ts'
import { requestPhrase } from '../kubectl/phrase.ts'
import type { RequestLine } from '../regions/witness.ts'

/** `LIST pods in shop by ann`. */
export function linePhrase(line: RequestLine): string {
  return `${requestPhrase(attributesOf(line))} by ${line.user}`
}

function attributesOf(line: RequestLine) {
  if ('path' in line) return pathRequest(line.verb, line.path)
  const { verb, apiGroup, resource, subresource, namespace, name } = line
  return { ...pathRequest(verb, ''), isResourceRequest: true, apiGroup, resource, subresource, namespace, name }
}
