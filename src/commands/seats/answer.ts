/** The answer of `seats`: from what was read to what is printed. */
import {
  fairnessIsOff,
  isAnswered,
  type LevelAccount,
  type ServerAccount,
  type Sort,
  sortedLevels,
} from '../../analysis/seats.ts'
import { nearest } from '../../apf/suggest.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { accountsOf } from '../../cli/accounts.ts'
import type { CapacityFlagValues } from '../../cli/capacity.ts'
import { CliError, EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable, stdoutPainter } from '../../cli/print.ts'
import type { ServersSeen } from '../../cli/servers.ts'
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
import { escapeForTerminal } from '../../ui/escape.ts'
import { showsUnicode, symbolsFor } from '../../ui/symbols.ts'
import { addedLevels } from './added-levels.ts'

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
  const added = (rules: VersionRules) => addedLevels(flags['add-level'] ?? [], rules)
  const accounts = accountsOf(seen, flags, added)
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
