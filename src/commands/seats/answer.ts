/** The answer of `seats`: from what was read to what is printed. */
import {
  accountOfObjects,
  besideBefore,
  fairnessIsOff,
  isAnswered,
  type LevelAccount,
  LIVE_FIELDS,
  type ServerAccount,
  type Sort,
  sortedLevels,
  unknownLimits,
  unknownOfAll,
} from '../../analysis/seats.ts'
import { accountOfServer, seatsTold } from '../../analysis/server-account.ts'
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'
import { effectiveConfiguration } from '../../apf/order.ts'
import { nearest } from '../../apf/suggest.ts'
import { NEWEST_MINOR, resolveVersion, rulesFor, type VersionRules } from '../../apf/versions.ts'
import { CliError, EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable, stdoutPainter } from '../../cli/print.ts'
import type { SeenServer, ServersSeen } from '../../cli/servers.ts'
import { isLive, requireObjects } from '../../cli/source.ts'
import { priorityLevelName } from '../../report/names.ts'
import { seatsDocument } from '../../report/seats-document.ts'
import {
  coverageNotes,
  type SeatsView,
  seatsColumns,
  seatsNotes,
  seatsRows,
  seatsVerdict,
  unknownNotes,
} from '../../report/seats-text.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { showsUnicode, symbolsFor } from '../../ui/symbols.ts'
import { addedLevels } from './added-levels.ts'
import { type CapacityFlagValues, limitOf } from './capacity.ts'

export interface SeatsFlagValues extends OutputFlagValues, CapacityFlagValues {
  level?: string[] | undefined
  sort?: Sort | undefined
  'add-level'?: string[] | undefined
}

/** @param explained  name of the level to explain; null: all levels are shown */
export async function answerSeats(
  seen: ServersSeen,
  explained: string | null,
  flags: SeatsFlagValues,
  io: Io,
): Promise<ExitCode> {
  if (seen.state !== null && seen.servers.length === 0) requireObjects(seen.state)
  const accounts = accountsOf(seen, flags)
  if (explained !== null) {
    const { explainLevel } = await import('./explain.ts')
    return explainLevel(explained, accounts, seen, flags, io)
  }
  if (accounts.every(({ levels }) => levels.length === 0)) throw nothingKnown(seen)
  const names = flags.level ?? []
  checkNames(names, accounts)
  const shown = accounts.map((account) => ({
    ...account,
    levels: sortedLevels(account.levels, flags.sort ?? 'pressure').filter(
      ({ name }) => names.length === 0 || names.includes(name),
    ),
  }))
  await print({ servers: accounts, live: seen.servers.length > 0 }, shown, seen, flags, io)
  return exitCodeOf(shown)
}

/** One account for each server; without any, one of what every server with these objects would have. */
export function accountsOf({ state, servers }: ServersSeen, flags: SeatsFlagValues): ServerAccount[] {
  const added = (rules: VersionRules) => addedLevels(flags['add-level'] ?? [], rules)
  if (servers.length > 0) return servers.map((server) => seenAccount(server, state, flags))
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

function seenAccount({ state: server, rates }: SeenServer, state: ClusterState | null, flags: SeatsFlagValues) {
  const rules = rulesOf(server.version, state)
  const added = addedLevels(flags['add-level'] ?? [], rules)
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

function nothingKnown({ failure, servers, coverage }: ServersSeen): CliError {
  if (failure !== null) return new CliError(failure)
  const [first] = [...servers.flatMap(({ state }) => state.unknown), ...coverage.unreachable]
  return new CliError({
    exitCode: EXIT.unanswered,
    what: 'no priority level is known',
    why: `neither objects nor metrics could be read${first === undefined ? '' : `: ${first.why}`}`,
  })
}

function checkNames(names: readonly string[], accounts: readonly ServerAccount[]): void {
  const known = [...new Set(accounts.flatMap(({ levels }) => levels.map(({ name }) => name)))]
  for (const name of names) if (!known.includes(name)) throw unknownLevel(name, known)
}

export function unknownLevel(name: string, known: readonly string[]): CliError {
  const meant = nearest(name, known)
  return usageError(
    `there is no priority level ${name}`,
    meant === null ? `there are ${known.join(', ')}` : `did you mean ${meant}?`,
  )
}

/** Without limits of what is shown there is no answer; what is not known besides is said. */
export function exitCodeOf(shown: readonly ServerAccount[]): ExitCode {
  return shown.every((account) => isAnswered(account, account.levels)) ? EXIT.ok : EXIT.unanswered
}

/** The level that most needs an explanation; null where nothing waits. */
function levelUnderPressure(servers: readonly ServerAccount[]): string | null {
  const [first] = sortedLevels(
    servers.flatMap(({ levels }) => levels),
    'pressure',
  )
  return first?.waitingRequests ? first.name : null
}

function noLimits(levels: readonly LevelAccount[]): boolean {
  return levels.every(({ nominal }) => nominal === null)
}

async function print(
  view: SeatsView,
  shown: readonly ServerAccount[],
  { state, coverage }: ServersSeen,
  flags: SeatsFlagValues,
  io: Io,
): Promise<void> {
  switch (flags.output) {
    case 'json':
    case 'yaml':
      return printDocument(seatsDocument(shown, coverage), flags.output, io)
    case 'name': {
      const names = new Set(shown.flatMap(({ levels }) => levels.map(({ name }) => name)))
      await io.stdout.write([...names].map((name) => `${escapeForTerminal(priorityLevelName(name))}\n`).join(''))
      return
    }
    default: {
      await io.stdout.write(`${seatsVerdict(view)}\n\n`)
      const columns = seatsColumns({ ...view, servers: shown }, stdoutPainter(io), showsUnicode(io.env))
      await printTable(columns, seatsRows(shown), flags, io)
      const below = [
        ...seatsNotes(view),
        ...coverageNotes(coverage),
        ...(view.live || noLimits(shown[0]?.levels ?? []) ? unknownNotes(view) : []),
      ]
      if (below.length > 0) await io.stdout.write(`\n${below.map((line) => `${escapeForTerminal(line)}\n`).join('')}`)
      const pressed = state !== null && isLive(state) ? levelUnderPressure(view.servers) : null
      if (pressed !== null) {
        const hint = `${symbolsFor(io.env).arrow} kubectl apf seats explain ${escapeForTerminal(pressed)}`
        await io.stdout.write(`${below.length > 0 ? '' : '\n'}${hint}\n`)
      }
      if (view.servers.some((server) => server.limit.value === null && !fairnessIsOff(server))) {
        await io.stdout.write(
          `${symbolsFor(io.env).arrow} --server-seats N, the sum of the two in-flight flags of the server\n`,
        )
      }
    }
  }
}
