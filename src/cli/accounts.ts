/** The seats of the levels in force, of every API server that was asked or of what every one with these objects would have. */
import {
  accountOfObjects,
  besideBefore,
  type LevelAccount,
  LIVE_FIELDS,
  type ServerAccount,
  unknownLimits,
  unknownOfAll,
} from '../analysis/seats.ts'
import { accountOfServer, seatsTold } from '../analysis/server-account.ts'
import type { PriorityLevelConfiguration } from '../apf/objects.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import { NEWEST_MINOR, resolveVersion, rulesFor, type VersionRules } from '../apf/versions.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import { type CapacityFlagValues, limitOf } from './capacity.ts'
import { usageError } from './errors.ts'
import type { SeenServer, ServersSeen } from './servers.ts'
import { isLive } from './source.ts'

/** Levels on trial, besides those in force. */
export type AddedLevels = (rules: VersionRules) => PriorityLevelConfiguration[]

const NO_LEVELS: AddedLevels = () => []

/** One account for each server; without any, one of what every server with these objects would have. */
export function accountsOf(
  { state, servers }: ServersSeen,
  flags: CapacityFlagValues,
  added: AddedLevels = NO_LEVELS,
): ServerAccount[] {
  if (servers.length > 0) return servers.map((server) => seenAccount(server, state, flags, added))
  if (state === null) return []
  const { rules } = state
  const addedHere = added(rules)
  const levels = levelsInForce(state, addedHere)
  const limit = limitOf(null, isLive(state), flags, rules)
  const why = isLive(state)
    ? 'the server does not show its metrics, and no live server may be assumed to have 600 seats'
    : ''
  return [
    {
      name: isLive(state) ? state.live.server : state.source.text,
      mode: isLive(state) ? state.live.mode.mode : null,
      limit,
      levels: beside(accountOfObjects(levels, limit.value, rules), addedHere, state, limit.value, rules),
      round: null,
      unknown: [
        ...(limit.value === null ? unknownLimits(why) : []),
        ...unknownOfAll(
          LIVE_FIELDS,
          isLive(state) ? 'the metrics of the server could not be read' : 'no server was asked',
        ),
      ],
    },
  ]
}

function seenAccount(
  { state: server, rates }: SeenServer,
  state: ClusterState | null,
  flags: CapacityFlagValues,
  addedLevels: AddedLevels,
): ServerAccount {
  const rules = rulesOf(server.version, state)
  const added = addedLevels(rules)
  if (added.length > 0 && state === null) {
    throw usageError('--add-level without objects', 'the shares of the other levels are not known', 'add --from PATH')
  }
  const levels = state === null ? null : levelsInForce(state, added)
  // What is in force tells the total; levels on trial have no part in it.
  const inForce = state === null ? null : levelsInForce(state, [])
  const limit = limitOf(seatsTold(server, inForce), true, flags, rules)
  const account = accountOfServer(server, levels, limit, rules, added.length > 0, rates)
  if (state === null) return account
  return { ...account, levels: beside(account.levels, added, state, limit.value, rules) }
}

/** Levels added on trial take from the others: what those had before is told as well. */
function beside(
  levels: LevelAccount[],
  added: readonly PriorityLevelConfiguration[],
  state: ClusterState,
  serverSeats: number | null,
  rules: VersionRules,
): LevelAccount[] {
  if (added.length === 0) return levels
  return besideBefore(levels, accountOfObjects(levelsInForce(state, []), serverSeats, rules))
}

/** Each server follows the rules of its own version. */
export function rulesOf(version: string | null, state: ClusterState | null): VersionRules {
  const own = version === null ? null : resolveVersion(version)
  if (own?.known) return own.rules
  return state?.rules ?? rulesFor({ minor: NEWEST_MINOR })
}

export function levelsInForce(
  { flowSchemas, priorityLevels, rules }: ClusterState,
  added: readonly PriorityLevelConfiguration[],
): PriorityLevelConfiguration[] {
  const names = new Set(added.map(({ metadata }) => metadata.name))
  const others = priorityLevels.filter(({ metadata }) => !names.has(metadata.name))
  return [...effectiveConfiguration(flowSchemas, [...others, ...added], rules).levels.values()]
}
