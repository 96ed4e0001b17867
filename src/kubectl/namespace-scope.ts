/** Which namespace the requests of one command line are in, and what has to be said about it. */
import type { ArgumentProblem, Note } from './note.ts'
import type { PlannedRequest, RequestArguments } from './planned-request.ts'
import type { ResourceReference, ResourceType } from './resource-name.ts'

/** '' where a request has no namespace. */
export interface NamespaceScope {
  /** Of requests over many objects. */
  ofList: string
  /** Of requests on one object. */
  ofObject: string
}

/**
 * kubectl's rule: -n, or all namespaces for lists with -A, or that of the context, or `default`. Resources that are not known
 * count as namespaced.
 *
 * @param spansObjects  the arguments mean a list; only then can they be about all namespaces
 */
export function scopeOf(
  given: RequestArguments,
  target: ResourceReference,
  spansObjects: boolean,
): NamespaceScope | ArgumentProblem {
  const { namespaced } = target.type
  const ofObject = namespaceOf(given)
  if (namespaced === false) return { ofList: '', ofObject }
  if (!given.allNamespaces) return { ofList: ofObject, ofObject }
  if (spansObjects) return { ofList: '', ofObject }
  if (namespaced === undefined) return { ofList: '', ofObject: '' }
  return {
    problem: `${target.name} is in one namespace, and -A means all of them`,
    fix: 'write -n NAMESPACE, or leave the name out',
  }
}

function namespaceOf(given: RequestArguments): string {
  return given.namespace || (given.assumedNamespace?.name ?? 'default')
}

/** What was assumed or ignored about the namespace of these requests. */
export function namespaceNotes(
  given: RequestArguments,
  type: ResourceType,
  requests: readonly PlannedRequest[],
): Note[] {
  const namespaced = requests
    .map(({ attributes }) => attributes)
    .filter(({ namespace, resource }) => namespace !== '' && resource !== 'namespaces')
  const [shown] = namespaced
  if (shown && (type.namespaced === false || given.allNamespaces)) {
    return [
      { code: 'object-namespace', message: `each object is in a namespace of its own; shown for ${shown.namespace}` },
    ]
  }
  if (shown && !given.namespace) {
    const isUnknown = type.resource !== '' && type.namespaced === undefined
    const hint = isUnknown ? `; if ${type.resource} is cluster-scoped, write -A` : ''
    const whose = given.assumedNamespace?.whose ? ` ${given.assumedNamespace.whose}` : ''
    const message = `no -n given: taken in namespace ${namespaceOf(given)}${whose}${hint}`
    return [{ code: 'default-namespace', message }]
  }
  if (!shown && given.namespace && type.namespaced === false) {
    const { namespace } = given
    return [
      { code: 'ignored-namespace', message: `${type.resource} is cluster-scoped: -n ${namespace} changes nothing` },
    ]
  }
  return []
}
