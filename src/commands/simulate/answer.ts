/** The answer of `simulate`: from the objects and the change to what is printed. */
import { createReadStream } from 'node:fs'
import { countedObjects } from '../../analysis/counted-objects.ts'
import { listNeed } from '../../analysis/list-need.ts'
import type { ServerAccount, ServerSeatsLimit } from '../../analysis/seats.ts'
import { type LevelSeatsChange, levelSeatsChanges, type ServerSeatsChange } from '../../analysis/seats-change.ts'
import { seatsTold } from '../../analysis/server-account.ts'
import { TrafficScale, type WeighedTraffic } from '../../analysis/simulation/traffic.ts'
import { isRefusedChange, type Simulation, simulate } from '../../analysis/simulation.ts'
import { levelSeats } from '../../apf/seats.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { accountsOf, rulesOf } from '../../cli/accounts.ts'
import { EXIT, type ExitCode, usageError, worstExit } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import type { SeenServer, ServersSeen } from '../../cli/servers.ts'
import { describeSource, requireObjects } from '../../cli/source.ts'
import type { Draining } from '../../report/contract.ts'
import type { SimulationReport } from '../../report/simulation-document.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { unreadableReason } from '../../sources/input.ts'
import { readLines } from '../../sources/lines.ts'
import { type Change, nothingSimulated, readChange, toObjects } from './change.ts'
import { findingsChange } from './findings.ts'
import type { SimulateFlagValues } from './flags.ts'
import { gatesOf, judged } from './gates.ts'
import { printSimulation } from './print.ts'

/** @throws CliError without objects, for a change that cannot be read, and for one that the server refuses */
export async function answerSimulate(seen: ServersSeen, flags: SimulateFlagValues, io: Io): Promise<ExitCode> {
  const { state } = seen
  if (state === null)
    throw usageError(
      'simulate without objects',
      'metrics alone do not tell them',
      'add --from PATH or --defaults MINOR',
    )
  requireObjects(state)
  const gates = gatesOf(flags['fail-if'] ?? [])
  const identities = flags.identities ?? 'any'
  const change = await readChange(flags, state, io)
  const simulation = simulate({
    before: toObjects(state),
    rules: change.after.rules,
    change: change.to === null ? { steps: change.steps } : { to: toObjects(change.to) },
    withAllDefaults: flags['to-defaults'] !== undefined,
    identities,
  })
  printProblems(simulation.warnings, io)
  if (isRefusedChange(simulation)) {
    printProblems(simulation.refusals, io)
    throw nothingSimulated('the change is refused')
  }
  const traffic = flags.requests === undefined ? null : await weighed(flags.requests, simulation, seen, flags, io)
  const report = await reportOf(simulation, change, seen, state, traffic, flags)
  await printSimulation({ ...report, identities }, flags, io)
  const outcome = judged(gates, report)
  printNotes(outcome.sentences, false, io)
  return worstExit(
    outcome.exitCode,
    exitCodeOf(simulation, flags),
    traffic !== null && traffic.malformed > 0 ? EXIT.usage : EXIT.ok,
  )
}

/** As `diff` does: 1 where something differs. */
function exitCodeOf({ moves, undecided }: Simulation, flags: SimulateFlagValues): ExitCode {
  if (!flags['exit-code']) return EXIT.ok
  if (moves.length > 0) return EXIT.findings
  return undecided.length > 0 ? EXIT.unanswered : EXIT.ok
}

async function reportOf(
  simulation: Simulation,
  change: Change,
  seen: ServersSeen,
  state: ClusterState,
  traffic: WeighedTraffic | null,
  flags: SimulateFlagValues,
): Promise<SimulationReport> {
  const servers = serversOf(simulation, change, seen, await limitOfOther(simulation, change, flags), flags)
  const [first] = servers
  const serverSeats = first?.limit.after ?? { value: null, source: null }
  return {
    simulation,
    seats: servers,
    draining: servers.flatMap((server) => drainingOn(server, simulation)),
    findings: await findingsChange(simulation, state, change, serverSeats),
    traffic,
    identities: flags.identities ?? 'any',
    source: describeSource(state),
    serverVersion: change.after.text,
  }
}

// Seats

function serversOf(
  simulation: Simulation,
  change: Change,
  seen: ServersSeen,
  other: ServerSeatsLimit | null,
  flags: SimulateFlagValues,
): ServerSeatsChange[] {
  const levels = [...simulation.after.configuration.levels.values()]
  const upgrades = simulation.before.rules.minor !== simulation.after.rules.minor
  return accountsOf(seen, flags).map((account, index) => {
    const server = seen.servers[index]
    // Servers of several versions keep their own rules, unless the change is one of versions.
    const rules = upgrades || server === undefined ? change.after.rules : rulesOf(server.state.version, seen.state)
    const limit = { before: account.limit, after: other ?? account.limit }
    return { server: account.name, limit, levels: levelsOn(account, limit.after, levels, rules, server) }
  })
}

function levelsOn(
  account: ServerAccount,
  limit: ServerSeatsLimit,
  levels: Parameters<typeof levelSeatsChanges>[1],
  rules: VersionRules,
  server: SeenServer | undefined,
): LevelSeatsChange[] {
  return levelSeatsChanges(account.levels, levels, limit.value, rules, server ? listNeed(server.state, rules) : null)
}

/** The seats of the servers of --to, where it is a recording that tells them. */
async function limitOfOther(
  { after }: Simulation,
  { to }: Change,
  flags: SimulateFlagValues,
): Promise<ServerSeatsLimit | null> {
  const [recording] = to?.recordings ?? []
  if (recording === undefined || flags['server-seats'] !== undefined) return null
  const { readRecording } = await import('../../metrics/read-recording.ts')
  const told = seatsTold(await readRecording(recording.folder), [...after.configuration.levels.values()])
  return told.value === null ? null : told
}

/** A deleted level keeps its shares, and so takes seats from all others, until it is idle. */
function drainingOn({ server, limit }: ServerSeatsChange, { before, after }: Simulation): Draining[] {
  const { value } = limit.after
  if (value === null) return []
  const gone = [...before.configuration.levels.values()].filter(
    ({ metadata }) => !after.configuration.levels.has(metadata.name),
  )
  return gone.map((level) => {
    const meanwhile = levelSeats([...after.configuration.levels.values(), level], value, after.rules)
    return {
      server,
      level: level.metadata.name,
      nominal: Object.fromEntries(meanwhile.map(({ name, nominal }) => [name, nominal])),
    }
  })
}

// Traffic

async function weighed(
  path: string,
  { before, after, moves }: Simulation,
  seen: ServersSeen,
  flags: SimulateFlagValues,
  io: Io,
): Promise<WeighedTraffic> {
  const [account] = accountsOf(seen, flags)
  const [server] = seen.servers
  const scale = new TrafficScale(before, after, moves, account?.limit.value ?? null, (request) =>
    server ? countedObjects(server.state, request) : null,
  )
  for await (const lines of readLines(path === '-' ? io.stdin : readFile(path))) {
    for (const { text, number, problem } of lines) {
      const malformed = problem ?? scale.add(text)
      if (malformed === null) continue
      printProblems(
        [
          {
            code: 'malformed',
            severity: 'error',
            message: malformed,
            at: { file: path === '-' ? '<stdin>' : path, line: number },
          },
        ],
        io,
      )
    }
  }
  return scale.weighed()
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw usageError(`cannot read ${path}`, unreadableReason(error), 'check the path')
  }
}
