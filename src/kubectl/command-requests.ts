/** The requests of one command of kubectl: its row of the table with the arguments filled in. */
import type { RequestAttributes } from '../apf/request.ts'
import { pathRequest } from '../apf/request.ts'
import { attributesOf } from './attributes.ts'
import type { CommandRequest, KubectlCommand } from './kubectl-commands.ts'
import { type NamespaceScope, namespaceNotes, scopeOf } from './namespace-scope.ts'
import { type ArgumentProblem, isArgumentProblem, type Note } from './note.ts'
import type { PlannedRequests, RequestArguments } from './planned-request.ts'
import {
  isKnownType,
  type ResourceReference,
  type ResourceType,
  resolveReference,
  resolveResourceType,
} from './resource-name.ts'
import type { ResourceCatalog } from './resources.ts'

/**
 * @param words  the command, with its subcommand where it has one
 * @param typed  the arguments, `resource` being the first one behind `words`
 */
export function commandRequests(
  words: string,
  command: KubectlCommand,
  typed: RequestArguments,
  catalog: ResourceCatalog,
): PlannedRequests | ArgumentProblem {
  const notes: Note[] = []
  const given = { ...typed, namespace: typed.namespace || command.namespace }
  const target = commandTarget(words, command, given, catalog, notes)
  if (isArgumentProblem(target)) return target
  const ofNode = isNodes(target.type) ? command.ofNode : undefined
  // What is sent for a node is about pods, which have a namespace.
  const scopeType = ofNode === undefined ? target.type : noType
  const scope = scopeOf(given, { ...target, type: scopeType }, target.name === '')
  if (isArgumentProblem(scope)) return scope

  const requests = (ofNode ?? command.requests)
    .filter((row) => !(row.behindWorkload && isPods(target.type)))
    .map((row) => ({
      attributes: fillRow(row, target, scope, catalog),
      purpose: `kubectl ${words}: ${row.purpose}`,
      primary: row.main === true,
    }))
  notes.push(...namespaceNotes(given, scopeType, requests))
  if (command.takes !== 'nothing') {
    notes.push({
      code: 'more-requests',
      message: `kubectl ${words} sends at least these, and discovery (GET /api, /apis) when its cache is older than 6 hours`,
    })
  }
  return { requests, notes }
}

/** What the command acts on; a target without a resource where that changes no request. */
function commandTarget(
  words: string,
  { takes }: KubectlCommand,
  given: RequestArguments,
  catalog: ResourceCatalog,
  notes: Note[],
): ResourceReference | ArgumentProblem {
  const { resource = '', name = '', subresource = '' } = given
  if (takes === 'nothing') return { type: noType, subresource: '', name: '' }
  if (takes === 'object') {
    if (resource !== '') return resolveReference(resource, { name, subresource, slash: 'name' }, catalog, notes)
    return { problem: `kubectl ${words} sends its requests by object`, fix: `name one, as in ${words} deployments web` }
  }
  const isTypeAndName = resource.includes('/') || (name !== '' && isKnownType(resource, catalog))
  if (isTypeAndName) return resolveReference(resource, { name, subresource, slash: 'name' }, catalog, notes)
  if (resource === '' && takes.nameRequired) {
    return { problem: `kubectl ${words} needs a name`, fix: `write ${words} NAME` }
  }
  const type = resolveResourceType(takes.resource, catalog, notes)
  return isArgumentProblem(type) ? type : { type, subresource: '', name: resource }
}

const noType: ResourceType = { resource: '', group: '', version: '', namespaced: undefined, subresources: undefined }

/**
 * One row with its words replaced. Where no name was given, reading TYPE NAME is reading a list; a write keeps an empty
 * name, since each object of the list is written.
 */
export function fillRow(
  row: CommandRequest,
  target: ResourceReference,
  scope: NamespaceScope,
  catalog: ResourceCatalog,
): RequestAttributes {
  const [verb = '', what = '', nameWord] = row.request.split(' ')
  if (what.startsWith('/')) return pathRequest(verb, what)
  const [typeText = '', subresource = ''] = what.split('/')
  const type = typeText === 'TYPE' ? target.type : rowType(typeText, catalog)
  const name = nameWord === 'NAME' || (nameWord === 'POD' && isPods(target.type)) ? target.name : ''
  const isListOfTargets = verb === 'get' && nameWord === 'NAME' && name === '' && subresource === ''
  const filledVerb = isListOfTargets ? 'list' : verb
  const namespace = filledVerb === 'list' || filledVerb === 'watch' ? scope.ofList : scope.ofObject
  return attributesOf(filledVerb, { type, subresource, name }, namespace)
}

/** Rows name resources by plural and group; one that is no longer in the catalog is taken by its words. */
function rowType(typeText: string, catalog: ResourceCatalog): ResourceType {
  const type = resolveResourceType(typeText, catalog, [])
  if (isArgumentProblem(type)) throw new Error(`row of the kubectl table without a resource: ${typeText}`)
  return type
}

function isNodes(type: ResourceType): boolean {
  return type.resource === 'nodes' && type.group === ''
}

function isPods(type: ResourceType): boolean {
  return type.resource === 'pods' && type.group === ''
}
