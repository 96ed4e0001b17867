/** The proof of `isolate` in a few lines, which stand as comments in front of the YAML. */
import type { Isolation } from '../analysis/isolation.ts'
import type { ServerSeatsChange } from '../analysis/seats-change.ts'
import type { RatedMove } from '../analysis/simulation/rated-moves.ts'
import type { Landing } from '../analysis/system-traffic.ts'
import type { Subject } from '../apf/objects.ts'
import { cubeContains } from '../regions/identity.ts'
import type { Region } from '../regions/region.ts'
import { bypassRegion } from '../regions/rules.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import { thousands } from '../ui/numbers.ts'
import { wrapped } from '../ui/wrap.ts'
import type { IsolationReport } from './isolation-document.ts'
import { requestsInWords } from './region-words.ts'
import { foldedMoves, systemAmong, whatMoves } from './simulation-words.ts'

/** A comment sign stands before each line. */
const WIDTH = 98

/** The verdict, what moves and what does not, who pays, and the notes; a line each. */
export function isolationHead(report: IsolationReport): string[] {
  const { plan, undecided, seats, notes, rules } = report
  const bypass = bypassRegion(rules)
  const usual = usualMoves(report)
  const others = report.moves.filter((move) => !usual.includes(move))
  const sure =
    undecided.length > 0
      ? `Not decided: ${undecided.join('; ')}.`
      : `Nothing else moves, over all possible requests and identities; ${systemInWords(usual)}.`
  return [
    verdict(plan, seats, bypass),
    '',
    ...(report.moves.length === 0 ? ['No request moves.'] : ['Moves:', ...usualInWords(usual, plan, bypass)]),
    ...(others.length === 0 ? [] : [`  ${otherGroupsInWords(others)}`]),
    ...(report.moves.length === 0 ? [] : [sure]),
    ...plan.staying.map((landing) => stayingInWords(landing, bypass)),
    ...seats.flatMap(seatsInWords),
    ...notes,
    '',
  ].flatMap((line) => wrapped(escapeForTerminal(line), `${/^ */.exec(line)?.[0] ?? ''}  `, WIDTH))
}

/** Moves of the subject with the groups that it usually has. */
function usualMoves({ plan, moves }: IsolationReport): RatedMove[] {
  return moves.filter(({ identities }) => identities.some((cube) => cubeContains(cube, plan.identity)))
}

function usualInWords(moves: readonly RatedMove[], { staying }: Isolation, bypass: Region): string[] {
  const folded = foldedMoves(moves)
  const isAll = folded.length === 1 && staying.length === 0
  return folded.map((line) => {
    const { from, to } = line
    const way = `${from.level.metadata.name} (${from.schema.metadata.name}) -> ${to.level.metadata.name}`
    return `  ${way}: ${isAll ? 'all of it' : whatMoves(line, bypass)}`
  })
}

function otherGroupsInWords(moves: readonly RatedMove[]): string {
  const from = [...new Set(moves.map((move) => move.from.level.metadata.name))]
  return `and from ${from.join(', ')} where it comes with other groups, as impersonation can give them`
}

function verdict(
  { schema, level, shares, wanted }: Isolation,
  seats: readonly ServerSeatsChange[],
  bypass: Region,
): string {
  const [subject] = schema.spec.rules[0]?.subjects ?? []
  const who = subject === undefined ? 'nobody' : subjectInWords(subject)
  const whose = `${requestsInWords(wanted, undefined, bypass)} by ${who}`
  const levelName = schema.spec.priorityLevelConfiguration.name
  if (level === null || shares === null) return `Sends ${whose} into the level ${levelName}.`
  const change = seats.flatMap(({ levels }) => levels).find(({ name }) => name === levelName)
  const limit = seats[0]?.limit.after.value ?? null
  const of = limit === null ? '' : ` of ${thousands(limit)}`
  const reach = change?.after?.reachable ?? shares.nominal
  const borrowing = reach > shares.nominal ? `, ${thousands(reach)} with what it may borrow` : ''
  return `Fences in ${whose}: ${thousands(shares.nominal)}${of} seats on each API server${borrowing}.`
}

function subjectInWords({ user, group, serviceAccount }: Subject): string {
  if (serviceAccount !== null) return `the ServiceAccount ${serviceAccount.name} of ${serviceAccount.namespace}`
  return group === null ? (user?.name ?? '') : `the group ${group.name}`
}

function systemInWords(moves: readonly RatedMove[]): string {
  const system = systemAmong(moves)
  if (system.length === 0) return 'no system traffic'
  const titles = system.map(({ title }) => title).join(', ')
  return system.some(({ vital }) => vital) ? `BUT SYSTEM TRAFFIC DOES: ${titles}` : `among it are ${titles}`
}

function stayingInWords({ entry, requests }: Landing, bypass: Region): string {
  const { schema, level } = entry
  const place = `${level.metadata.name} through ${schema.metadata.name} (${schema.spec.matchingPrecedence})`
  return `Stays in ${place}: ${requestsInWords(requests, undefined, bypass)}.`
}

/** The levels that pay, those that pay most first. */
function seatsInWords(
  { server, levels }: ServerSeatsChange,
  _index: number,
  all: readonly ServerSeatsChange[],
): string[] {
  const paying = levels.filter(({ gain }) => gain !== null && gain < 0)
  if (paying.length === 0) return []
  const parts = paying.map(
    ({ name, before, after }) => `${name} ${thousands(before?.nominal ?? 0)} -> ${thousands(after?.nominal ?? 0)}`,
  )
  return [`Pays with seats${all.length > 1 ? ` on ${server}` : ''}: ${parts.join(', ')}.`]
}
