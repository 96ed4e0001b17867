/** Expectations that say what lands where now: a case for each rule in force that takes anything. */
import { ALL_AUTHENTICATED, impliedGroups } from '../../apf/identity.ts'
import type { EffectiveConfiguration } from '../../apf/order.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { isArgumentProblem } from '../../kubectl/note.ts'
import { requestWords } from '../../kubectl/phrase.ts'
import { requestsFromArguments } from '../../kubectl/request-arguments.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { linePhrase } from '../line-phrase.ts'
import { reachOf } from '../reach.ts'
import { requestOfLine } from '../request-of-line.ts'
import { meantRequest } from './requests.ts'
import { requestWordsOf } from './words.ts'

/** As the file writes it. */
export interface FirstCase {
  name: string
  as?: string
  groups?: string[]
  requests: (string | object)[]
  expect: { flowSchema: string; priorityLevel: string }
}

/** In server order. */
export function firstCases(configuration: EffectiveConfiguration, rules: VersionRules): FirstCase[] {
  return reachOf(configuration, { identities: 'authenticated', rules }).flatMap(({ entry, rules: reaches }) =>
    reaches.flatMap(({ witness }) => {
      if (witness === null) return []
      const { schema, level } = entry
      const landing = { flowSchema: schema.metadata.name, priorityLevel: level.metadata.name }
      return [{ ...caseOf(witness, landing.flowSchema), expect: landing }]
    }),
  )
}

function caseOf(witness: RequestLine, landing: string): Omit<FirstCase, 'expect'> {
  const { user, groups, ...request } = witness
  const name = `${linePhrase(witness)} lands in ${landing}`
  const own = ownGroups(user, groups)
  if (own === null) return { name, requests: [witness] }
  return { name, as: user, ...(own.length > 0 && { groups: own }), requests: [inWords(witness) ?? request] }
}

/** The groups to write beside the name; none where the name implies them, null where a case cannot say them. */
function ownGroups(user: string, groups: readonly string[]): string[] | null {
  const implied = impliedGroups(user)
  if (groups.length === implied.length && groups.every((group) => implied.includes(group))) return []
  return groups.includes(ALL_AUTHENTICATED) ? groups.filter((group) => group !== ALL_AUTHENTICATED) : null
}

/** The words of the request, where they are read as this very request. */
function inWords(witness: RequestLine): string | null {
  const request = requestOfLine(witness)
  const scope = request.isResourceRequest && request.namespace === '' ? ' -A' : ''
  const words = `${requestWords(request)}${scope}`
  const given = requestWordsOf(words)
  if (isArgumentProblem(given)) return null
  const read = requestsFromArguments(given)
  if (isArgumentProblem(read)) return null
  const meant = meantRequest(read.requests).attributes
  const same = (['verb', 'path', 'apiGroup', 'resource', 'subresource', 'namespace'] as const).every(
    (field) => meant[field] === request[field],
  )
  return same ? words : null
}
