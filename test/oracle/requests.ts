/**
 * Random requests for a configuration. Most are built to satisfy one rule of it, and come with neighbours that differ from
 * them in one attribute; the others are odd: unusual URLs, methods and identities.
 */
import { SCHEMA_ROWS } from '../../src/apf/defaults/bootstrap.ts'
import type { NonResourceRule, ResourceRule } from '../../src/apf/objects.ts'
import type { RuleJson, SubjectJson } from '../support/objects.ts'
import type { Configuration, RequestLine } from './process.ts'
import type { Random } from './random.ts'
import {
  API_GROUPS,
  GROUPS,
  NAMESPACES,
  ODD_API_GROUPS,
  ODD_GROUPS,
  ODD_NAMESPACES,
  ODD_RESOURCES,
  ODD_USERS,
  ODD_VERBS,
  PATHS,
  RESOURCES,
  USERS,
  VERBS,
} from './words.ts'

/** A request and its neighbours, each one attribute away from it. */
export type Family = [first: RequestLine, ...neighbours: RequestLine[]]

interface Caller {
  user: string
  groups: string[]
}

interface ResourceShape extends Caller {
  verb: string
  apiGroup: string
  /** With its subresource, as rules name it. */
  resource: string
  namespace: string
}

interface PathShape extends Caller {
  method: string
  path: string
}

type Shape = ResourceShape | PathShape

const NEIGHBOURS = 2

const DEFAULT_SCHEMAS = new Set(SCHEMA_ROWS.map(({ name }) => name))

export function randomFamily(random: Random, configuration: Configuration): Family {
  const shape = shapeForRule(random, configuration)
  if (shape === null || random.chance(0.08)) return [oddRequest(random)]
  const decoration = random.chance(0.25) ? decorator(random) : (url: string): string => url
  const family: Family = [render(random, shape, decoration)]
  for (let count = 0; count < NEIGHBOURS; count++) family.push(render(random, neighbour(random, shape), decoration))
  if (random.chance(0.1)) family.push(misspelled(random, family[0]))
  return family
}

/** A request that one rule takes, if no schema before it does; null if the rules drawn cannot take any. */
function shapeForRule(random: Random, { flowSchemas, priorityLevels }: Configuration): Shape | null {
  if (flowSchemas.length === 0) return null
  const levels = new Set(priorityLevels.map(({ metadata }) => metadata.name))
  for (let attempt = 0; attempt < 20; attempt++) {
    const { metadata, spec } = random.pick(flowSchemas)
    // Schemas whose level is missing take nothing; the defaults get enough without being sought.
    const sought = levels.has(spec.priorityLevelConfiguration.name) && !DEFAULT_SCHEMAS.has(metadata.name)
    if (!sought && !random.chance(0.15)) continue
    const shape = spec.rules?.length ? shapeForPolicyRule(random, random.pick(spec.rules)) : null
    if (shape) return shape
  }
  return null
}

function shapeForPolicyRule(random: Random, rule: RuleJson): Shape | null {
  if (!rule.subjects?.length) return null
  const caller = callerFor(random, random.pick(rule.subjects))
  const shapes: Shape[] = []
  if (rule.resourceRules?.length) shapes.push({ ...caller, ...resourceFor(random, random.pick(rule.resourceRules)) })
  if (rule.nonResourceRules?.length) shapes.push({ ...caller, ...pathFor(random, random.pick(rule.nonResourceRules)) })
  return shapes.length === 0 ? null : random.pick(shapes)
}

function callerFor(random: Random, { kind, user, group, serviceAccount }: SubjectJson): Caller {
  const groups = random.several(GROUPS, 0, 1)
  const anyone = random.pick(USERS)
  if (kind === 'Group' && group) {
    if (group.name !== '*') groups.splice(random.integer(0, groups.length), 0, group.name)
    return { user: anyone, groups }
  }
  if (kind === 'ServiceAccount' && serviceAccount) {
    const name = serviceAccount.name === '*' ? random.pick(['reporter', 'x', '', 'a:b']) : serviceAccount.name
    return { user: `system:serviceaccount:${serviceAccount.namespace}:${name}`, groups }
  }
  return { user: user && user.name !== '*' ? user.name : anyone, groups }
}

function resourceFor(random: Random, rule: Partial<ResourceRule>): Omit<ResourceShape, keyof Caller> {
  const clusterWide = rule.clusterScope && (!rule.namespaces?.length || random.chance(0.5))
  return {
    verb: member(random, rule.verbs, VERBS),
    apiGroup: member(random, rule.apiGroups, API_GROUPS),
    resource: member(random, rule.resources, RESOURCES),
    namespace: clusterWide ? '' : member(random, rule.namespaces, NAMESPACES),
  }
}

function pathFor(random: Random, rule: Partial<NonResourceRule>): Omit<PathShape, keyof Caller> {
  const verb = member(random, rule.verbs, ['get', 'get', 'head', 'post', 'put', 'delete'])
  const entry = rule.nonResourceURLs?.length ? random.pick(rule.nonResourceURLs) : '*'
  const below = entry.endsWith('*') ? entry.slice(0, -1) : random.chance(0.3) ? `${entry}/` : entry
  const path =
    entry === '*' ? random.pick(PATHS) : below + (below.endsWith('/') ? random.pick(['', 'x', 'x/y', '*']) : '')
  return { method: verb.toUpperCase(), path }
}

function member(random: Random, list: readonly string[] | undefined, all: readonly string[]): string {
  if (!list?.length) return random.pick(all)
  const value = random.pick(list)
  return value === '*' ? random.pick(all) : value
}

/** The same request with another value in one place. */
function neighbour(random: Random, shape: Shape): Shape {
  for (;;) {
    const changed = changeOne(random, shape)
    if (JSON.stringify(changed) !== JSON.stringify(shape)) return changed
  }
}

function changeOne(random: Random, shape: Shape): Shape {
  const choice = random.next()
  if (choice < 0.2) return { ...shape, user: random.pick(random.chance(0.3) ? ODD_USERS : USERS) }
  if (choice < 0.4) return { ...shape, groups: otherGroups(random, shape.groups) }
  if ('path' in shape) {
    return random.chance(0.3)
      ? { ...shape, method: random.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'HEAD', 'OPTIONS', 'get', 'BREW']) }
      : { ...shape, path: otherPath(random, shape.path) }
  }
  const other = (usual: readonly string[], odd: readonly string[]): string =>
    random.pick(random.chance(0.2) ? odd : usual)
  if (choice < 0.55) return { ...shape, verb: other(VERBS, ODD_VERBS) }
  if (choice < 0.7) return { ...shape, apiGroup: other(API_GROUPS, ODD_API_GROUPS) }
  if (choice < 0.85) return { ...shape, resource: other(RESOURCES, ODD_RESOURCES) }
  return { ...shape, namespace: shape.namespace && random.chance(0.5) ? '' : other(NAMESPACES, ODD_NAMESPACES) }
}

function otherGroups(random: Random, groups: readonly string[]): string[] {
  const changed = [...groups]
  if (changed.length > 0 && random.chance(0.6)) changed.splice(random.integer(0, changed.length - 1), 1)
  else changed.push(random.pick(random.chance(0.2) ? ODD_GROUPS : GROUPS))
  return changed
}

function otherPath(random: Random, path: string): string {
  return random.pick([
    () => `${path}z`,
    () => `${path}/`,
    () => `${path}/x`,
    () => `/x${path}`,
    () => path.replace(/\/[^/]*$/, ''),
    () => path.slice(0, -1),
    () => path.toUpperCase(),
    () => random.pick(PATHS),
  ])()
}

function render(random: Random, shape: Shape, decorate: (url: string) => string): RequestLine {
  const { user, groups } = shape
  if ('path' in shape) {
    const path = shape.path.startsWith('/') ? shape.path : `/${shape.path}`
    return { user, groups, method: shape.method || 'GET', url: decorate(encodeURI(path)) }
  }
  const { method, named, query, word } = requestOf(random, shape.verb)
  const slash = shape.resource.indexOf('/')
  const resource = slash < 0 ? shape.resource : shape.resource.slice(0, slash)
  const subresource = slash < 0 ? '' : shape.resource.slice(slash + 1)
  const segments = shape.apiGroup === '' ? ['api', 'v1'] : ['apis', shape.apiGroup, random.pick(['v1', 'v2beta1'])]
  if (word) segments.push(word)
  if (shape.namespace !== '' || random.chance(0.01)) segments.push('namespaces', shape.namespace)
  const isNamespace = resource === 'namespaces' && shape.namespace !== '' && (named || subresource !== '')
  if (!isNamespace) segments.push(resource)
  if (!isNamespace && (named || subresource !== '')) {
    // A subresource of no name in particular is what `list` of a subresource looks like.
    segments.push(named || random.chance(0.2) ? (named ? random.pick(['x', 'a.b', 'größe', 'http:web:80']) : '') : 'x')
  }
  if (subresource !== '') segments.push(...subresource.split('/'))
  const url = `/${segments.map(encodeURIComponent).join('/')}${query}`
  return { user, groups, method, url: decorate(url) }
}

/** What a client sends for a verb. */
function requestOf(random: Random, verb: string): { method: string; named: boolean; query: string; word: string } {
  const plain = { named: true, query: '', word: '' }
  switch (verb) {
    case 'get':
      return { ...plain, method: random.chance(0.1) ? 'HEAD' : 'GET' }
    case 'list':
      return { ...plain, method: 'GET', named: false, query: random.chance(0.2) ? listQuery(random) : '' }
    case 'watch':
      return random.chance(0.2)
        ? { ...plain, method: 'GET', named: random.chance(0.5), word: 'watch' }
        : { ...plain, method: 'GET', named: false, query: random.pick(['?watch', '?watch=1', '?watch=true&limit=5']) }
    case 'create':
      return { ...plain, method: 'POST', named: random.chance(0.2) }
    case 'update':
      return { ...plain, method: 'PUT' }
    case 'patch':
      return { ...plain, method: 'PATCH' }
    case 'delete':
      return { ...plain, method: 'DELETE' }
    case 'deletecollection':
      return { ...plain, method: 'DELETE', named: false }
    case 'proxy':
      return { ...plain, method: random.pick(['GET', 'POST']), word: 'proxy' }
    default:
      return { ...plain, method: random.pick(['OPTIONS', 'TRACE', 'get', 'BREW', 'CONNECT']) }
  }
}

function listQuery(random: Random): string {
  const pairs = [
    'watch=0',
    'watch=False',
    'watch=no',
    'watch=',
    'watch',
    'Watch=1',
    'limit=5',
    'limit=x',
    'timeoutSeconds=',
    'limit=9223372036854775808',
    'fieldSelector=metadata.name%3Dx',
    'fieldSelector=metadata.name==x,a!=b',
    'fieldSelector=metadata.name%3Da%2Fb',
    'fieldSelector=metadata.name',
    'fieldSelector=a%3D%5C',
    'labelSelector=app%3Dx',
    'labelSelector=app%20in%20(a,b)',
    'labelSelector=%3D',
    'a;b=1',
    '%zz=1',
    'watch=%zz',
    'watch=1;x',
    'continue=abc',
    'resourceVersion=0',
    'sendInitialEvents=maybe',
    'allowWatchBookmarks=2',
  ]
  return `?${random.several(pairs, 1, 3).join('&')}`
}

/** Another way to write the same URL, or nearly. The same for all members of a family. */
function decorator(random: Random): (url: string) => string {
  const place = random.next()
  const query = random.pick(['x=1', 'watch=true', 'watch=false', 'timeout=5s'])
  return random.pick<(url: string) => string>([
    (url) => (url.includes('?') ? url.replace('?', '/?') : `${url}/`),
    (url) => `/${url}`,
    (url) => `${url}${url.includes('?') ? '&' : '?'}${query}`,
    (url) => `https://oracle.example:6443${url}`,
    (url) => `${url}#${query}`,
    (url) => url.replace(/[a-z](?=[a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (url) => {
      const slashes = [...url.matchAll(/\//g)].map(({ index }) => index)
      const at = slashes[Math.floor(place * slashes.length)] ?? 0
      return `${url.slice(0, at)}${place < 0.5 ? '/' : '%2F'}${url.slice(at + (place < 0.5 ? 0 : 1))}`
    },
    (url) => url.replace(/(?<=\/namespaces\/)[^/?]+/, (name) => `${name}%ff`),
    (url) => url.replace(/(?:%[89A-F][0-9A-F])+/g, decodeURIComponent),
  ])
}

/** A request line with a slip of the pen. */
function misspelled(random: Random, request: RequestLine): RequestLine {
  const { url } = request
  const at = random.integer(0, url.length)
  const slip = random.pick([
    '',
    '/',
    '%',
    '%2',
    '%20',
    '%ff',
    '%e2%82',
    '%00',
    '?',
    '#',
    ';',
    '.',
    '..',
    '*',
    ' ',
    '\t',
    '\u007f',
    'ü',
    '\\',
  ])
  return { ...request, url: url.slice(0, at) + slip + url.slice(at + random.integer(0, 1)) }
}

function oddRequest(random: Random): RequestLine {
  const segment = (): string =>
    random.pick([
      'api',
      'apis',
      'v1',
      'apps',
      'watch',
      'proxy',
      'namespaces',
      'status',
      'pods',
      'shop',
      '',
      '.',
      '..',
      '%2f',
      'a b',
      '%ff',
    ])
  const odd = [
    () => '',
    () => '*',
    () => 'api/v1/pods',
    () => 'http://oracle.example',
    () => 'oracle.example:443',
    () => `/${Array.from({ length: random.integer(0, 8) }, segment).join('/')}`,
    () => `/api/v1/${Array.from({ length: random.integer(0, 5) }, segment).join('/')}${listQuery(random)}`,
    () => `/apis/apps/v1/${Array.from({ length: random.integer(0, 5) }, segment).join('/')}`,
    () => `/api/v1/pods${listQuery(random)}`,
    () => random.pick(PATHS),
  ]
  const request = {
    user: random.pick(random.chance(0.3) ? ODD_USERS : USERS),
    groups: random.several(random.chance(0.2) ? ODD_GROUPS : GROUPS, 0, 3),
    method: random.pick([
      'GET',
      'GET',
      'GET',
      'POST',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'CONNECT',
      'TRACE',
      'get',
      'M-SEARCH',
      'B@D',
      '',
    ]),
    url: random.pick(odd)(),
  }
  // The HTTP server answers it by itself, which is no question of classification.
  return request.method === 'OPTIONS' && request.url === '*' ? { ...request, method: 'GET' } : request
}
