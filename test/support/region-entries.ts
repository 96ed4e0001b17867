/** A reader's view of printed regions: what an entry says by the JSON contract alone, without the algebra that made it. */
import { pathRequest, type RequestAttributes } from '../../src/apf/request.ts'
import type { PrintedSet, PrintedValue, RegionEntry } from '../../src/regions/entry.ts'
import type { RequestLine } from '../../src/regions/witness.ts'

export function entryContains(entry: RegionEntry, request: RequestAttributes): boolean {
  if ('nonResourceURLs' in entry) {
    return (
      !request.isResourceRequest &&
      says(entry.verbs, request.verb, equals) &&
      says(entry.nonResourceURLs, request.path, matchesPath)
    )
  }
  const resource = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`
  return (
    request.isResourceRequest &&
    says(entry.verbs, request.verb, equals) &&
    says(entry.apiGroups, request.apiGroup, equals) &&
    says(entry.resources, resource, equals) &&
    (entry.subresources === undefined || says(entry.subresources, request.subresource, equals)) &&
    (entry.scope === 'cluster') === (request.namespace === '') &&
    (entry.scope === 'cluster' || says(entry.namespaces, request.namespace, equals))
  )
}

type Test = (listed: PrintedValue, value: string) => boolean

function says(set: PrintedSet, value: string, test: Test): boolean {
  if ('notIn' in set) return !set.notIn.some((listed) => test(listed, value))
  return set.in.some((listed) => test(listed, value)) && !set.except?.some((listed) => test(listed, value))
}

const equals: Test = (listed, value) => listed === value

const matchesPath: Test = (listed, path) => {
  if (typeof listed !== 'string') return listed.exact === path
  if (listed === '*') return true
  return listed.endsWith('/*') ? path.startsWith(listed.slice(0, -1)) : listed === path
}

/** The attributes of a request line that is taken as it is. */
export function attributesOf(line: RequestLine): RequestAttributes {
  return 'path' in line ? nonResourceRequest(line.verb, line.path) : resourceRequest(line)
}

export function nonResourceRequest(verb: string, path: string): RequestAttributes {
  return { ...NOTHING, verb, path }
}

export function resourceRequest(attributes: Partial<RequestAttributes>): RequestAttributes {
  return {
    ...NOTHING,
    isResourceRequest: true,
    verb: attributes.verb ?? '',
    apiGroup: attributes.apiGroup ?? '',
    resource: attributes.resource ?? '',
    subresource: attributes.subresource ?? '',
    namespace: attributes.namespace ?? '',
    name: attributes.name ?? '',
  }
}

const NOTHING = pathRequest('', '')
