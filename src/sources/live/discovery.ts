/**
 * The resources that a server serves, custom ones included, for names as users write them.
 * Source: kubernetes/client-go discovery/aggregated_discovery.go and discovery_client.go
 */
import type { KnownResource } from '../../kubectl/resources.ts'
import type { Client } from './client.ts'
import { isFault, type Reply } from './exchange.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { bodyOf } from './status.ts'

export interface Discovered {
  /** In the order in which the server prefers the groups, each resource with the version preferred for it. */
  resources: KnownResource[]
  /** Group versions that did not answer, as those of a backend that is down; their resources are missing. */
  unavailable: string[]
}

/** The whole of `/api` or `/apis` in one answer: from 1.27, in its final form from 1.30. */
const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',')

/** Null where the server does not tell. */
export async function discover(client: Client): Promise<Discovered | null> {
  const [core, groups] = await Promise.all([
    client.send('GET', '/api', { accept: AGGREGATED }),
    client.send('GET', '/apis', { accept: AGGREGATED }),
  ])
  if (isFault(core) || isFault(groups)) return null
  const parts = await Promise.all([readPart(client, core), readPart(client, groups)])
  if (parts.every((part) => part === null)) return null
  const [ofCore, ofGroups] = parts.map((part) => part ?? { resources: [], unavailable: [] })
  return {
    resources: preferred([...(ofCore?.resources ?? []), ...(ofGroups?.resources ?? [])]),
    unavailable: [...(ofCore?.unavailable ?? []), ...(ofGroups?.unavailable ?? [])],
  }
}

async function readPart(client: Client, reply: Reply): Promise<Discovered | null> {
  const body = reply.status === 200 ? bodyOf(reply) : null
  if (body?.kind !== 'json') return null
  const faults: string[] = []
  const fields = fieldsOf(body.value, '', faults)
  switch (fields.string('kind')) {
    case 'APIGroupDiscoveryList':
      return { resources: fields.objects('items').flatMap(aggregatedGroup), unavailable: [] }
    case 'APIVersions':
      return readGroupVersions(
        client,
        fields.strings('versions').map((version) => ({ group: '', version, path: `/api/${version}` })),
      )
    case 'APIGroupList':
      return readGroupVersions(client, fields.objects('groups').flatMap(groupVersions))
    default:
      return null
  }
}

function aggregatedGroup(item: Fields): KnownResource[] {
  const group = item.object('metadata')?.string('name') ?? ''
  return item.objects('versions').flatMap((version) =>
    version.objects('resources').map((resource) => ({
      resource: resource.string('resource'),
      singular: resource.string('singularResource'),
      kind: resource.object('responseKind')?.string('kind') ?? '',
      shortNames: resource.strings('shortNames'),
      group,
      version: version.string('version'),
      namespaced: resource.string('scope') === 'Namespaced',
      subresources: resource.objects('subresources').map((subresource) => subresource.string('subresource')),
    })),
  )
}

interface GroupVersion {
  group: string
  version: string
  path: string
}

/** The preferred version first. */
function groupVersions(group: Fields): GroupVersion[] {
  const name = group.string('name')
  const versions = group.objects('versions').map((version) => version.string('version'))
  const first = group.object('preferredVersion')?.string('version') ?? ''
  const sorted = [
    ...versions.filter((version) => version === first),
    ...versions.filter((version) => version !== first),
  ]
  return sorted.map((version) => ({ group: name, version, path: `/apis/${name}/${version}` }))
}

async function readGroupVersions(client: Client, wanted: readonly GroupVersion[]): Promise<Discovered> {
  const lists = await Promise.all(
    wanted.map(async (entry) => ({ entry, resources: await readGroupVersion(client, entry) })),
  )
  return {
    resources: lists.flatMap(({ resources }) => resources ?? []),
    unavailable: lists
      .filter(({ resources }) => resources === null)
      .map(({ entry }) => entry.path.replace(/^\/apis?\//, '')),
  }
}

async function readGroupVersion(
  client: Client,
  { group, version, path }: GroupVersion,
): Promise<KnownResource[] | null> {
  const reply = await client.send('GET', path)
  const body = isFault(reply) || reply.status !== 200 ? null : bodyOf(reply)
  if (body?.kind !== 'json') return null
  const entries = fieldsOf(body.value, '', []).objects('resources')
  const subresources = entries.map((entry) => entry.string('name')).filter((name) => name.includes('/'))
  return entries
    .filter((entry) => !entry.string('name').includes('/'))
    .map((entry) => {
      const resource = entry.string('name')
      return {
        resource,
        singular: entry.string('singularName'),
        kind: entry.string('kind'),
        shortNames: entry.strings('shortNames'),
        group,
        version,
        namespaced: entry.boolean('namespaced'),
        subresources: subresources
          .filter((name) => name.startsWith(`${resource}/`))
          .map((name) => name.slice(resource.length + 1)),
      }
    })
}

/** Of one resource in several versions of its group the first, which the server prefers. */
function preferred(resources: readonly KnownResource[]): KnownResource[] {
  const first = new Map<string, KnownResource>()
  for (const entry of resources) {
    const key = `${entry.group}/${entry.resource}`
    if (entry.resource !== '' && !first.has(key)) first.set(key, entry)
  }
  return [...first.values()]
}
