/** `isolate`: plans the objects, proves what they do, and prints them. */
import { type Isolation, isRefusal, planIsolation } from '../../analysis/isolation.ts'
import { movesBetween } from '../../analysis/moves.ts'
import { fairnessIsOff, type ServerAccount } from '../../analysis/seats.ts'
import { levelSeatsChanges, type ServerSeatsChange } from '../../analysis/seats-change.ts'
import { ratedMoves } from '../../analysis/simulation/rated-moves.ts'
import { landingsOf, SYSTEM_TRAFFIC } from '../../analysis/system-traffic.ts'
import { ALL_AUTHENTICATED, impliedGroups } from '../../apf/identity.ts'
import { subjectMatches } from '../../apf/match.ts'
import type { Identity } from '../../apf/request.ts'
import { sharesOf } from '../../apf/seats.ts'
import { serverAnswer } from '../../apf/server-answer.ts'
import { API_VERSIONS, newestVersion } from '../../apf/versions.ts'
import { accountsOf } from '../../cli/accounts.ts'
import type { CapacityFlagValues } from '../../cli/capacity.ts'
import { CliError, EXIT, type ExitCode, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes } from '../../cli/messages.ts'
import { type OutputFlagValues, printDocument } from '../../cli/print.ts'
import type { ServersSeen } from '../../cli/servers.ts'
import { requireObjects } from '../../cli/source.ts'
import { type IsolationReport, isolationDocument, isolationObjects } from '../../report/isolation-document.ts'
import { isolationHead } from '../../report/isolation-words.ts'
import { type FieldComments, isolationYaml, levelComments, schemaComments } from '../../report/isolation-yaml.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { type IsolateFlagValues, wishOf } from './wish.ts'

type FlagValues = IsolateFlagValues & OutputFlagValues & CapacityFlagValues & { explain: boolean }

/** @throws CliError without objects or seats (3), for a wish that no server takes (2), or that cannot be met (1) */
export async function answerIsolation(
  seen: ServersSeen,
  { words, flags }: { words: readonly string[]; flags: FlagValues },
  io: Io,
): Promise<ExitCode> {
  const state = stateOf(seen)
  const { wish, notes } = wishOf(words, flags)
  const accounts = accountsOf(seen, flags)
  const serverSeats = accounts.find(({ limit }) => limit.value !== null)?.limit.value ?? null
  if ('wanted' in wish.level && serverSeats === null) throw seatsNotKnown(accounts.some(fairnessIsOff))
  const plan = planIsolation(wish, state, serverSeats ?? 0, state.rules)
  if (isRefusal(plan)) {
    throw new CliError({
      exitCode: EXIT.findings,
      what: 'the subject cannot be fenced in so',
      why: plan.why,
      next: plan.needed,
    })
  }
  const report = reportOf(plan, state, accounts, [...notes, ...notesOn(plan, flags)])
  requireAccepted(report)
  await print(report, serverSeats, flags, io)
  return report.undecided.length > 0 ? EXIT.unanswered : EXIT.ok
}

function stateOf({ state, failure }: ServersSeen): ClusterState {
  if (state !== null) {
    requireObjects(state)
    return state
  }
  if (failure !== null) throw new CliError(failure)
  throw usageError('no objects to stand among', '--metrics alone has none', 'add --from PATH or --defaults MINOR')
}

/** @param isOff  APF does not decide on the server */
function seatsNotKnown(isOff: boolean): CliError {
  return new CliError({
    exitCode: EXIT.unanswered,
    what: 'the seats of the API server are not known, so that shares cannot be computed',
    why: isOff ? 'APF is off there: no FlowSchema takes a request' : 'the server does not show its metrics',
    next: 'add --server-seats N: --max-requests-inflight and --max-mutating-requests-inflight together',
  })
}

function reportOf(
  plan: Isolation,
  { rules }: ClusterState,
  accounts: readonly ServerAccount[],
  notes: readonly string[],
): IsolationReport {
  const { moves, undecided } = movesBetween(plan.before, plan.after, {
    identities: 'any',
    rules: { before: rules, after: rules },
  })
  const seats = accounts.map((account) => seatsChange(account, plan, rules))
  return {
    plan,
    moves: ratedMoves(moves),
    undecided,
    seats,
    notes: [...notes, ...robbed(seats), ...othersStaying(plan, rules), ...assumptions(plan, accounts)],
    version: newestVersion(rules),
    rules,
  }
}

function seatsChange(
  { name, limit, levels }: ServerAccount,
  { after }: Isolation,
  rules: ClusterState['rules'],
): ServerSeatsChange {
  return {
    server: name,
    limit: { before: limit, after: limit },
    levels: levelSeatsChanges(levels, [...after.levels.values()], limit.value, rules),
  }
}

/** Levels that keep less than half of their seats; those of one seat have none to give. */
function robbed(seats: readonly ServerSeatsChange[]): string[] {
  const names = seats.flatMap(({ levels }) =>
    levels.flatMap(({ name, before, after }) =>
      before?.nominal && after && 2 * (after.nominal ?? 0) < before.nominal ? [name] : [],
    ),
  )
  const [first] = names
  return first === undefined
    ? []
    : [`BEWARE: less than half of the seats are left to ${[...new Set(names)].join(', ')}.`]
}

/** A wide subject has members whom earlier schemas name: where those of a usual cluster stay. */
function othersStaying(
  { schema, wanted, after, identity, staying }: Isolation,
  rules: ClusterState['rules'],
): string[] {
  const [subject] = schema.spec.rules[0]?.subjects ?? []
  if (subject === undefined) return []
  const told = new Set(staying.map(({ entry }) => entry.schema.metadata.name))
  const members = USUAL_IDENTITIES.filter((each) => each.name !== identity.name && subjectMatches(subject, each))
  const entries = members
    .flatMap((member) => landingsOf(wanted, member, after, rules))
    .map(({ entry }) => entry)
    .filter(({ schema: { metadata } }) => metadata.name !== schema.metadata.name && !told.has(metadata.name))
    .sort((a, b) => after.order.indexOf(a) - after.order.indexOf(b))
  const names = entries.map(({ schema: { metadata, spec } }) => `${metadata.name} (${spec.matchingPrecedence})`)
  if (names.length === 0) return []
  return [`Members whom an earlier FlowSchema names stay with it: ${[...new Set(names)].join(', ')}.`]
}

/** Of each kind that the default objects tell apart. */
const USUAL_IDENTITIES: readonly Identity[] = [
  { name: 'admin', groups: ['system:masters', ALL_AUTHENTICATED] },
  ...SYSTEM_TRAFFIC.flatMap(({ identities }) => identities),
  { name: 'system:serviceaccount:example:example', groups: impliedGroups('system:serviceaccount:example:example') },
]

function assumptions({ level }: Isolation, accounts: readonly ServerAccount[]): string[] {
  const totals = new Set(accounts.map(({ limit }) => limit.value))
  return [
    ...(accounts.some(fairnessIsOff)
      ? ['APF is off on the API server: nothing of this happens until it is switched on.']
      : []),
    ...(level !== null && accounts.some(({ limit }) => limit.source === 'assumed-default')
      ? ['600 seats are assumed, those of a server without flags (--server-seats N for others).']
      : []),
    ...(level !== null && totals.size > 1
      ? ['The API servers have different numbers of seats; the shares are computed for the first.']
      : []),
  ]
}

function notesOn({ schema, level, shares, after, takenFrom }: Isolation, { seats, preset }: FlagValues): string[] {
  const { name } = schema.spec.priorityLevelConfiguration
  const isExempt = after.levels.get(name)?.spec.type === 'Exempt'
  return [
    ...(level === null && takenFrom.every((entry) => entry.level.metadata.name === name)
      ? [`These requests are in ${name} already: nothing changes but their flow.`]
      : []),
    ...(isExempt ? [`The level ${name} is exempt: nothing limits these requests any more.`] : []),
    ...(level !== null && seats !== undefined && shares !== null && shares.nominal > seats
      ? [
          `${shares.shares} ${shares.shares === 1 ? 'share gives' : 'shares give'} ${shares.nominal} seats; fewer are not possible near ${seats}.`,
        ]
      : []),
    ...(preset === undefined ? [] : [LEASES_ONLY]),
  ]
}

/** What an operator may do besides to stay the leader. */
const LEASES_ONLY =
  'Still outside: PATCH of leases (server-side apply), LIST and WATCH of them, locks in ConfigMaps or Endpoints, and the ' +
  'Events that tell of a new leader. Add them where the operator uses them.'

/** What the words named may be nothing that an API server takes. */
function requireAccepted(report: IsolationReport): void {
  for (const object of isolationObjects(report)) {
    const answer = serverAnswer(object, {
      operation: 'create',
      fieldValidation: 'Strict',
      existing: null,
      rules: report.rules,
    })
    if (!answer.accepted) throw usageError('an API server would refuse these objects', answer.message ?? '')
  }
}

async function print(report: IsolationReport, serverSeats: number | null, flags: FlagValues, io: Io): Promise<void> {
  const { plan, undecided } = report
  if (flags.output === 'json') await printDocument(isolationDocument(report), 'json', io)
  else if (flags.output === 'name') {
    for (const { kind, metadata } of isolationObjects(report)) {
      const resource = `${kind.toLowerCase()}.flowcontrol.apiserver.k8s.io`
      await io.stdout.write(`${resource}/${escapeForTerminal(String(metadata['name']))}\n`)
    }
  } else {
    const objects = isolationObjects(report).map((object) => ({
      object,
      comments: flags.explain ? commentsOn(object.kind, report, serverSeats ?? 0) : [],
    }))
    await io.stdout.write(await isolationYaml(isolationHead(report), objects))
  }
  if (undecided.length > 0) {
    printNotes([`the proof is not complete: ${undecided.join('; ')}`], false, io)
  }
  if (plan.before.dangling.length > 0 && flags.output !== 'json') {
    const names = plan.before.dangling.map(({ schema }) => schema.metadata.name)
    printNotes([`dangling now, so that they take nothing: ${names.join(', ')}`], flags.quiet, io)
  }
}

function commentsOn(kind: string, { plan, version }: IsolationReport, serverSeats: number): FieldComments {
  const { schema, level, shares, anchor, before } = plan
  if (kind === 'FlowSchema') {
    const { name } = anchor.schema.metadata
    const place = `right ${anchor.side === 'above' ? 'before' : 'behind'} ${name} (${anchor.schema.spec.matchingPrecedence})`
    return schemaComments(schema, { anchor: place, single: schema.spec.distinguisherMethod === null })
  }
  if (level === null || shares === null) return []
  const otherShares = [...before.levels.values()].reduce(
    (sum, other) => sum + sharesOf(other).nominalConcurrencyShares,
    0,
  )
  const { sharesField } = API_VERSIONS[version]
  return levelComments(level, { sharesField, otherShares, nominal: shares.nominal, serverSeats })
}
