/** Resource names as users write them: `po`, `Pod`, `deploy/scale`, `deployments.v1.apps`, `widgets.example.com`. */
import { nearest } from '../apf/suggest.ts'
import { type ArgumentProblem, isArgumentProblem, type Note } from './note.ts'
import { findResource, type KnownResource, type ResourceCatalog } from './resources.ts'

export interface ResourceType {
  /** Plural where the resource is known, otherwise as written. */
  resource: string
  group: string
  /** '' where neither the user nor the catalog gives one. */
  version: string
  /** Scope by the catalog; undefined where the resource is unknown. */
  namespaced: boolean | undefined
  /** Undefined where the resource is unknown: it may have any. */
  subresources: readonly string[] | undefined
}

export interface ResourceReference {
  type: ResourceType
  subresource: string
  /** '' where none was written. */
  name: string
}

/** What stands beside RESOURCE[.GROUP][/SUBRESOURCE] and decides how its slash is read. */
export interface ReferenceContext {
  /** NAME as its own argument; '' without. */
  name: string
  /** `--subresource`; '' without. */
  subresource: string
  /** Commands of kubectl know TYPE/NAME only. */
  slash: 'subresource-or-name' | 'name'
}

/**
 * Reads RESOURCE[.GROUP][/SUBRESOURCE] together with the NAME beside it, or kubectl's TYPE/NAME.
 *
 * What follows the slash is a subresource if the resource is known to have it, or if NAME stands beside. Otherwise, of a
 * known resource, it is the name of an object: `pods/web-0` means what it means to kubectl, since there is no such
 * subresource. Of an unknown resource it is a subresource.
 */
export function resolveReference(
  text: string,
  context: ReferenceContext,
  catalog: ResourceCatalog,
  notes: Note[],
): ResourceReference | ArgumentProblem {
  const [typeText = '', first, ...others] = text.split('/')
  const type = resolveResourceType(typeText, catalog, notes)
  if (isArgumentProblem(type)) return type
  if (first === undefined) return { type, subresource: context.subresource, name: context.name }
  if (first === '' || others.includes('')) {
    return {
      problem: `nothing stands behind a slash of ${text}`,
      fix: `write ${typeText} NAME or ${typeText}/SUBRESOURCE NAME`,
    }
  }

  if (context.slash === 'name' || context.subresource !== '') {
    return { type, subresource: context.subresource, name: first }
  }
  const hasSubresource = type.subresources?.includes(first)
  if (context.name !== '' || hasSubresource || (type.subresources === undefined && others.length === 0)) {
    if (!hasSubresource) notes.push(...doubtfulSubresource(first, typeText, type, context.name))
    return { type, subresource: first, name: context.name }
  }
  notes.push({
    code: 'object-name',
    message: `${first} is taken as the name of an object; as a subresource it would be written ${typeText}/${first} NAME`,
  })
  return { type, subresource: others.join('/'), name: first }
}

function doubtfulSubresource(subresource: string, typeText: string, type: ResourceType, name: string): Note[] {
  if (type.subresources !== undefined) {
    const message = `${type.resource} has no subresource ${subresource} that is known here; taken as it is`
    return [{ code: 'unknown-subresource', message }]
  }
  if (name !== '' || customSubresources.includes(subresource)) return []
  const message = `${subresource} is taken as a subresource; for the object of that name write ${typeText} ${subresource}`
  return [{ code: 'unknown-subresource', message }]
}

/** The subresources that a custom resource can have. */
const customSubresources = ['status', 'scale']

/**
 * Reads RESOURCE, RESOURCE.GROUP or RESOURCE.VERSION.GROUP; `pods.v1.` and `pods.v1` are the core group. A resource that
 * the catalog lacks is taken as it is, said in a note.
 */
export function resolveResourceType(
  text: string,
  catalog: ResourceCatalog,
  notes: Note[],
): ResourceType | ArgumentProblem {
  const written = splitTypeText(text)
  if (written.resource === '') {
    return {
      problem: `${text === '' ? 'the resource' : `the resource of ${text}`} is empty`,
      fix: 'write RESOURCE or RESOURCE.GROUP, such as pods or leases.coordination.k8s.io',
    }
  }
  const known = findResource(catalog, written.resource, written.group)
  if (known) {
    noteOtherGroups(known, written.group, catalog, notes)
    return {
      resource: known.resource,
      group: known.group,
      version: written.version ?? known.version,
      namespaced: known.namespaced,
      subresources: known.subresources,
    }
  }
  notes.push(unknownResource(written, catalog))
  return {
    resource: written.resource,
    group: written.group ?? '',
    version: written.version ?? (written.group === undefined ? 'v1' : ''),
    namespaced: undefined,
    subresources: undefined,
  }
}

/** Whether the words name a resource of the catalog. */
export function isKnownType(text: string, catalog: ResourceCatalog): boolean {
  const { resource, group } = splitTypeText(text)
  return findResource(catalog, resource, group) !== undefined
}

interface TypeText {
  resource: string
  group: string | undefined
  version: string | undefined
}

const VERSION = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/

/** Splits at the first dots as kubectl does; a middle part that looks like a version is one. */
function splitTypeText(text: string): TypeText {
  const [resource = '', ...rest] = text.split('.')
  const [middle] = rest
  if (middle === undefined) return { resource, group: undefined, version: undefined }
  if (VERSION.test(middle)) return { resource, group: rest.slice(1).join('.'), version: middle }
  return { resource, group: rest.join('.'), version: undefined }
}

/** Clients differ in the group they use for a resource that two groups serve, and FlowSchemas tell groups apart. */
function noteOtherGroups(
  known: KnownResource,
  group: string | undefined,
  catalog: ResourceCatalog,
  notes: Note[],
): void {
  if (group !== undefined) return
  const isServedTwin = ({ kind, group, version }: KnownResource) =>
    kind === known.kind && group !== known.group && version === 'v1'
  for (const twin of catalog.filter(isServedTwin)) {
    notes.push({
      code: 'also-in-group',
      message: `${known.resource} is read as kubectl reads it, in ${groupForPeople(known.group)}; some clients use ${twin.resource}.${twin.group}`,
    })
  }
}

function unknownResource(written: TypeText, catalog: ResourceCatalog): Note {
  const { resource, group } = written
  if (resource === '*') {
    return {
      code: 'wildcard-resource',
      message:
        'a request names one resource; * is taken as it is, and without a request the whole map of the subject is shown',
    }
  }
  const place = `in ${groupForPeople(group ?? '')}`
  const candidates = catalog
    .filter((known) => group === undefined || known.group === group)
    .map((known) => known.resource)
  const meant = nearest(resource, candidates)
  const hint =
    meant !== null ? `; did you mean ${meant}?` : group === undefined ? '; write RESOURCE.GROUP for another' : ''
  return {
    code: 'unknown-resource',
    message: `resource ${resource} is not known here; taken as it is, ${place}${hint}`,
  }
}

function groupForPeople(group: string): string {
  return group === '' ? 'the core group' : `group ${group}`
}
