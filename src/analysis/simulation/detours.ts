/** Requests that, while a change is under way, land where they neither come from nor go to. */
import { compileClassifier } from '../../apf/compiled-classifier.ts'
import type { EffectiveConfiguration, EffectiveSchema } from '../../apf/order.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { boxKey } from '../../regions/box.ts'
import type { IdentityCube } from '../../regions/identity.ts'
import { intersectRegions, isEmptyRegion, PLANE_NAMES, type Region, simplifyRegion } from '../../regions/region.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { type Move, movesBetween } from '../moves.ts'
import type { IdentityFacts } from '../reach.ts'
import { intersectCubes, requestOf } from './identities.ts'
import { isUnusual } from './rated-moves.ts'

export interface Detour {
  from: EffectiveSchema
  /** Where they land meanwhile. */
  via: EffectiveSchema
  to: EffectiveSchema
  identities: readonly IdentityCube[]
  requests: Region
  witness: RequestLine
}

export interface DetoursFound {
  detours: Detour[]
  undecided: string[]
}

/** One state of a change: what servers make of the objects, under the rules of their version. */
export interface RoutingState {
  configuration: EffectiveConfiguration
  rules: VersionRules
}

/**
 * Requests that land in a third level meanwhile: not in that from which they come, and not in that to which they go. A
 * detour within one of these two levels costs nobody anything.
 *
 * @param whole  what moves from before to after
 */
export function detoursThrough(
  before: RoutingState,
  meanwhile: RoutingState,
  after: RoutingState,
  whole: readonly Move[],
  identities: IdentityFacts,
): DetoursFound {
  const away = movesBetween(before.configuration, meanwhile.configuration, {
    identities,
    rules: { before: before.rules, after: meanwhile.rules },
  })
  // What has already arrived where it goes to is on no detour.
  const arrived = new Set(whole.map(moveKey))
  const open = away.moves.filter((move) => !staysInLevel(move) && !arrived.has(moveKey(move)))
  if (open.length === 0) return { detours: [], undecided: away.undecided }
  const onwards = movesBetween(meanwhile.configuration, after.configuration, {
    identities,
    rules: { before: meanwhile.rules, after: after.rules },
  })
  const lands = landingIn(meanwhile, identities)
  const detours = open.flatMap((first) =>
    onwards.moves.flatMap((second) => {
      if (nameOf(first.to) !== nameOf(second.from) || staysInLevel(second)) return []
      return detourOf(first, second, lands)
    }),
  )
  // Those of unusual identities come last.
  detours.sort((a, b) => Number(isUnusual(a)) - Number(isUnusual(b)))
  return { detours, undecided: [...away.undecided, ...onwards.undecided] }
}

/** Equal for the same requests of the same identities, from and to the same places. */
function moveKey({ from, to, identities, requests }: Move): string {
  const boxes = PLANE_NAMES.map((plane) => requests[plane].map(boxKey))
  const cubes = identities.map(({ users, has, lacks }) => JSON.stringify([users.key, has, lacks])).sort()
  return JSON.stringify([nameOf(from), nameOf(to), to.level.metadata.name, cubes, boxes])
}

function detourOf(first: Move, second: Move, lands: Lands): Detour[] {
  const requests = intersectRegions(first.requests, second.requests)
  if (isEmptyRegion(requests)) return []
  const common = first.identities.flatMap((a) => second.identities.flatMap((b) => intersectCubes(a, b)))
  const identities = common.filter((cube) => lands(cube, requests, first.to) !== null)
  const witness = identities.map((cube) => lands(cube, requests, first.to)).find((found) => found !== null)
  if (!witness) return []
  return [{ from: first.from, via: first.to, to: second.to, identities, requests: simplifyRegion(requests), witness }]
}

type Lands = (cube: IdentityCube, requests: Region, entry: EffectiveSchema) => RequestLine | null

/** Gives a request of an identity that really lands in an entry. */
function landingIn({ configuration }: RoutingState, identities: IdentityFacts): Lands {
  const classifier = compileClassifier(configuration)
  return (cube, requests, entry) => {
    const found = requestOf(cube, requests, identities)
    if (found === null) return null
    const landing = classifier.find(found.identity, found.request).entry
    return nameOf(landing) === nameOf(entry) ? found.line : null
  }
}

function staysInLevel({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return from.level.metadata.name === to.level.metadata.name
}

function nameOf({ schema }: EffectiveSchema): string {
  return schema.metadata.name
}
