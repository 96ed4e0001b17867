/**
 * From the words of a command line to the requests they mean: API verbs as they are, kubectl's commands as the requests
 * that kubectl sends for them.
 */
import { nearest } from '../apf/suggest.ts'
import { attributesOf } from './attributes.ts'
import { commandRequests, fillRow } from './command-requests.ts'
import { commandsWithoutRequests, kubectlBeyondVerb, kubectlCommands } from './kubectl-commands.ts'
import { namespaceNotes, scopeOf } from './namespace-scope.ts'
import { type ArgumentProblem, isArgumentProblem, type Note } from './note.ts'
import type { PlannedRequest, PlannedRequests, RequestArguments } from './planned-request.ts'
import { requestFromUrl } from './request-url.ts'
import { type ResourceReference, resolveReference } from './resource-name.ts'
import { builtInResources, categoryAll, type ResourceCatalog } from './resources.ts'
import { apiVerbOfMethod, apiVerbs, methodOfApiVerb, whyNeverSent } from './verbs.ts'

/**
 * Builds the attributes that the URL of each meant request would give. The first API verb request is the one typed;
 * requests that kubectl sends besides follow. Nothing is asked of a server: a namespaced resource without a namespace is
 * taken in the assumed one, and everything assumed is said in a note.
 *
 * @param catalog  resources known by name, in order of preference
 */
export function requestsFromArguments(
  given: RequestArguments,
  catalog: ResourceCatalog = builtInResources(),
): PlannedRequests | ArgumentProblem {
  const { verb, resource } = given
  if (verb === 'kubectl' && resource !== undefined) return requestsFromArguments(withoutFirstWord(given), catalog)
  if (isTarget(verb)) return fromPath(undefined, verb, given)
  if (resource !== undefined && isTarget(resource)) return fromPath(verb, resource, given)

  const lowerVerb = verb.toLowerCase()
  if (commandsWithoutRequests.includes(lowerVerb)) {
    return { problem: `kubectl ${lowerVerb} sends no request`, fix: 'write VERB RESOURCE [NAME], or VERB /path' }
  }
  const withSubcommand = `${lowerVerb} ${resource}`
  const subcommand = kubectlCommands.get(withSubcommand)
  if (subcommand) return commandRequests(withSubcommand, subcommand, withoutFirstWord(given), catalog)
  const command = kubectlCommands.get(lowerVerb)
  if (command) return commandRequests(lowerVerb, command, given, catalog)
  const subcommands = subcommandsOf(lowerVerb)
  if (subcommands.length > 0 && !apiVerbs.includes(lowerVerb)) {
    return { problem: `kubectl ${lowerVerb} needs a subcommand`, fix: `one of ${subcommands.join(', ')}` }
  }
  return fromVerb(given, catalog)
}

/** The arguments one place to the left, for words in front of the ones that count. */
function withoutFirstWord(given: RequestArguments): RequestArguments {
  const [name, ...rest] = given.rest ?? []
  return { ...given, verb: given.resource ?? '', resource: given.name, name, rest }
}

/** Whether the words give a path or URL, so that no name of a resource is read. */
export function givesPath({ verb, resource }: RequestArguments): boolean {
  return isTarget(verb) || (resource !== undefined && isTarget(resource))
}

/** Words that the URL parser reads: a path or a whole URL. */
function isTarget(word: string): boolean {
  return word.startsWith('/') || /^https?:\/\//i.test(word)
}

function subcommandsOf(command: string): string[] {
  return [...kubectlCommands.keys()]
    .filter((key) => key.startsWith(`${command} `))
    .map((key) => key.slice(command.length + 1))
}

/** `VERB /path`: the path is parsed as the server parses it, whose verb may differ from the one typed. */
function fromPath(
  verb: string | undefined,
  target: string,
  given: RequestArguments,
): PlannedRequests | ArgumentProblem {
  const method = verb === undefined ? 'GET' : methodOfApiVerb(verb)
  const answer = requestFromUrl(target, method)
  if (isArgumentProblem(answer)) return answer
  const { requests, notes } = answer
  const typed = verb?.toLowerCase()
  const read = requests[0]?.attributes.verb
  if (typed !== undefined && typed !== read) {
    const hint = typed === 'watch' && read === 'list' ? '; a watch has ?watch=true' : ''
    notes.push({ code: 'changed-verb', message: `${method} ${target} has the verb ${read || '""'}${hint}` })
  }
  if (given.namespace !== undefined || given.allNamespaces) {
    notes.push({ code: 'ignored-namespace', message: 'a path says its own namespace; -n and -A change nothing' })
  }
  return answer
}

/** An API verb, or any other word taken as one. */
function fromVerb(given: RequestArguments, catalog: ResourceCatalog): PlannedRequests | ArgumentProblem {
  const notes: Note[] = []
  const verb = readVerb(given.verb, notes)
  const resource = given.resource ?? ''
  if (verb === '' || resource === '') {
    return {
      problem: verb === '' ? 'no verb given' : `${verb} of what?`,
      fix: 'write VERB RESOURCE [NAME], or VERB /path',
    }
  }
  const requests: PlannedRequest[] = []
  const words = typeTexts(resource, given, notes)
  for (const typeText of words.types) {
    const context = { name: words.name, subresource: given.subresource ?? '', slash: 'subresource-or-name' } as const
    const reference = resolveReference(typeText, context, catalog, notes)
    if (isArgumentProblem(reference)) return reference
    const planned = requestsOfVerb(verb, withoutUnsentName(verb, reference, notes), given, catalog)
    if (isArgumentProblem(planned)) return planned
    notes.push(...namespaceNotes(given, reference.type, planned))
    const isCategory = resource === 'all' && verb === 'get'
    requests.push(...(isCategory ? planned.filter(({ attributes }) => attributes.verb === 'list') : planned))
  }
  return { requests: withOnePrimary(requests), notes: withoutRepeats(notes) }
}

/** One or several resources as kubectl takes them: `pods,services`, `all`, or `pod/a pod/b`. */
function typeTexts(
  resource: string,
  given: RequestArguments,
  notes: Note[],
): { types: readonly string[]; name: string } {
  const { name = '', rest = [] } = given
  if (resource.includes('/') && name.includes('/')) return { types: [resource, name, ...rest], name: '' }
  if (rest.length > 0 && given.verb.toLowerCase() !== 'create') {
    notes.push({ code: 'extra-arguments', message: `only ${resource} ${name} is answered, not ${rest.join(' ')}` })
  }
  return { types: resource === 'all' ? categoryAll : resource.split(','), name }
}

/** The request typed, then what else DELETE without a name means, then what kubectl sends for the same words. */
function requestsOfVerb(
  verb: string,
  reference: ResourceReference,
  given: RequestArguments,
  catalog: ResourceCatalog,
): PlannedRequest[] | ArgumentProblem {
  const spansObjects = reference.name === '' || verb === 'list' || verb === 'watch'
  const scope = scopeOf(given, reference, spansObjects)
  if (isArgumentProblem(scope)) return scope
  const namespace = spansObjects ? scope.ofList : scope.ofObject
  const requests = [{ attributes: attributesOf(verb, reference, namespace), purpose: 'as typed', primary: true }]
  if (reference.subresource !== '') return requests
  if (verb === 'delete' && reference.name === '') {
    requests.push({
      attributes: attributesOf('deletecollection', reference, namespace),
      purpose: 'what DELETE without a name is to the server',
      primary: false,
    })
  }
  const beyond = kubectlBeyondVerb.get(verb)
  const rows = (reference.name === '' ? beyond?.unnamed : beyond?.named) ?? []
  for (const row of rows) {
    const attributes = fillRow(row, reference, scope, catalog)
    requests.push({ attributes, purpose: `kubectl ${verb}: ${row.purpose}`, primary: false })
  }
  return requests
}

function withOnePrimary(requests: readonly PlannedRequest[]): PlannedRequest[] {
  return requests.map((request, index) => ({ ...request, primary: index === 0 }))
}

function withoutRepeats(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [note.message, note])).values()]
}

/** The verb in lower case, HTTP methods translated; doubts become notes. */
function readVerb(word: string, notes: Note[]): string {
  const verb = word.toLowerCase()
  if (verb === '' || apiVerbs.includes(verb)) return verb
  const ofMethod = apiVerbOfMethod(word)
  if (ofMethod !== undefined) {
    notes.push({ code: 'changed-verb', message: `${word.toUpperCase()} of a resource is the verb ${ofMethod}` })
    return ofMethod
  }
  const [base = ''] = verb.split(':')
  const why = whyNeverSent(base)
  if (why !== undefined) {
    notes.push({ code: 'verb-never-sent', message: `no request has the verb ${word}: ${why}; taken as it is` })
    return verb
  }
  const commands = [...kubectlCommands.keys()].map((key) => key.split(' ')[0] ?? key)
  const meant = nearest(verb, [...apiVerbs, ...commands])
  notes.push({
    code: 'unknown-verb',
    message: `no request has the verb ${word}; taken as it is${meant === null ? '' : `; did you mean ${meant}?`}`,
  })
  return word
}

/** The URL of a create or deletecollection has no place for the name of the object. */
function withoutUnsentName(verb: string, reference: ResourceReference, notes: Note[]): ResourceReference {
  const unsent =
    reference.name !== '' && reference.subresource === '' && (verb === 'create' || verb === 'deletecollection')
  if (!unsent) return reference
  notes.push({
    code: 'ignored-name',
    message: `the URL of a ${verb} names no object; ${reference.name} changes nothing`,
  })
  return { ...reference, name: '' }
}
