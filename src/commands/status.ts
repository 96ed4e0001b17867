import { seatsTold } from '../analysis/server-account.ts'
import { rulesOfServer, type StatusOfServer, statusFindings } from '../analysis/status.ts'
import { defineCommand } from '../cli/command.ts'
import { CliError, EXIT, type ExitCode, worstExit } from '../cli/errors.ts'
import {
  connectionFlags,
  impersonationFlags,
  outputFlag,
  outputFlags,
  serverFlags,
  sourceFlags,
  statusFlags,
} from '../cli/flags.ts'
import type { Io } from '../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable, stdoutPainter } from '../cli/print.ts'
import { type ServersSeen, withServers } from '../cli/servers.ts'
import { statusDocument } from '../report/status-document.ts'
import {
  evidenceColumns,
  evidenceRows,
  featureLines,
  findingLines,
  statusColumns,
  statusVerdict,
  unknownLines,
} from '../report/status-text.ts'
import { escapeForTerminal } from '../ui/escape.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml']),
  ...outputFlags,
  ...statusFlags,
  ...sourceFlags,
  metrics: serverFlags.metrics,
  ...connectionFlags,
  ...impersonationFlags,
  'all-servers': serverFlags['all-servers'],
  apiserver: serverFlags.apiserver,
}

export default defineCommand({
  description:
    'APF or the plain limiter of requests in flight: each API server decides by its own flags, and the objects exist either way. ' +
    'Every piece of evidence is listed with what it says. Seats, limits and versions are those of each server.',
  usage: ['status [--context NAME | --from PATH... | --metrics FILE...] [flags]'],
  args: {},
  flags,
  examples: [
    { says: 'The API servers of the cluster of the current context', run: 'status', needs: 'cluster' },
    {
      says: 'A gate: exit 1 unless APF decides on all of them, exit 3 unless all could be asked',
      run: 'status --require=APF --all-servers=require',
      needs: 'cluster',
    },
    { says: 'Of saved metrics, one file for each server', run: 'status --metrics examples/server-a.prom' },
  ],
  run: ({ flags }, io) => {
    const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
    return withServers(flags, { impersonation, readsStdin: false }, io, (seen) => answerStatus(seen, flags, io))
  },
})

interface StatusFlagValues extends OutputFlagValues {
  require?: string | undefined
}

async function answerStatus(seen: ServersSeen, flags: StatusFlagValues, io: Io): Promise<ExitCode> {
  if (seen.servers.length === 0) throw nothingAsked(seen)
  const servers = seen.servers.map(({ state }): StatusOfServer => {
    const rules = rulesOfServer(state)
    return { server: state, rules, limit: seatsTold(state, seen.state?.priorityLevels ?? null) }
  })
  // Of a part of the objects nobody can say what is missing.
  const objects = seen.state?.source.complete && seen.state.flowSchemas.length > 0 ? seen.state : null
  const findings = statusFindings(servers, objects)
  if (flags.output === 'json' || flags.output === 'yaml') {
    const served = seen.servers.map(({ apfVersions }) => apfVersions)
    await printDocument(statusDocument(servers, served, seen.coverage, findings), flags.output, io)
  } else await printText(servers, seen, findings, flags, io)
  return exitCodeOf(servers, flags.require)
}

function nothingAsked({ coverage }: ServersSeen): CliError {
  const [first] = coverage.unreachable
  return new CliError({
    exitCode: EXIT.unanswered,
    what: first === undefined ? 'there is no API server in the given files' : `no API server could be asked`,
    why: first === undefined ? 'objects do not tell which limiter is active' : `${first.name}: ${first.why}`,
    next: 'give --metrics FILE, a recording with --from, or ask a cluster',
  })
}

function exitCodeOf(servers: readonly StatusOfServer[], required: string | undefined): ExitCode {
  const modes = servers.map(({ server }) => server.mode.mode)
  const unknown = modes.includes('Unknown') ? EXIT.unanswered : EXIT.ok
  const differs = required !== undefined && modes.some((mode) => mode !== required && mode !== 'Unknown')
  return worstExit(unknown, differs ? EXIT.findings : EXIT.ok)
}

async function printText(
  servers: readonly StatusOfServer[],
  { coverage }: ServersSeen,
  findings: ReturnType<typeof statusFindings>,
  flags: StatusFlagValues,
  io: Io,
): Promise<void> {
  await io.stdout.write(`${statusVerdict(servers, coverage)}\n\n`)
  await printTable(statusColumns(Date.now(), stdoutPainter(io)), servers, flags, io)
  await io.stdout.write('\n')
  await printTable(evidenceColumns(servers.length > 1, servers.length), evidenceRows(servers), flags, io)
  const below = [
    ...findingLines(findings),
    ...unknownLines(servers, coverage),
    ...featureLines(servers, flags.output === 'wide'),
  ]
  if (below.length > 0) await io.stdout.write(`\n${below.map((line) => `${escapeForTerminal(line)}\n`).join('')}`)
}
