/** Sentences about a simulation that the table, the document and the comment have in common. */
import type { SeatsWarning } from '../analysis/seats-change.ts'
import type { Detour } from '../analysis/simulation/detours.ts'
import { refusesNow } from '../analysis/simulation/level-settings.ts'
import type { ObjectEdit, OnTheWay, WayState } from '../analysis/simulation/on-the-way.ts'
import { isUnusual, type RatedMove, touchesExempt } from '../analysis/simulation/rated-moves.ts'
import type { Simulation } from '../analysis/simulation.ts'
import type { SystemTraffic } from '../analysis/system-traffic.ts'
import type { EffectiveSchema } from '../apf/order.ts'
import { isRefused } from '../apf/request-info.ts'
import { isMalformed, readRequestLine } from '../apf/request-line.ts'
import { requestWords } from '../kubectl/phrase.ts'
import type { Region } from '../regions/region.ts'
import type { RequestLine } from '../regions/witness.ts'
import { counted, thousands } from '../ui/numbers.ts'
import type { Draining } from './contract.ts'
import { requestsInWords, whoInWords } from './region-words.ts'

/** Everything in one line. */
export function simulationVerdict({ moves, undecided, objects, rewrites, settings }: Simulation): string {
  if (moves.length === 0 && objects.every(({ effect }) => effect === 'unchanged')) {
    const isUndone = rewrites.some(({ kind }) => kind === 'restored' || kind === 'reverted' || kind === 'removed')
    return isUndone ? 'nothing changes in the end: the servers undo it' : 'nothing changes: all objects are so already'
  }
  const between = moves.filter(({ effects }) => !effects.includes('same-level'))
  const usual = usualMoves(moves)
  // Those of unusual identities are told below the table, unless there are no others.
  const told = between.filter((move) => usual.includes(move)).length
  const open = [...refusingInWords(settings), ...(undecided.length > 0 ? ['not everything could be told'] : [])]
  if (told > 0) {
    const whose = usual.every(({ unusual }) => unusual) ? ', only for identities with unusual groups' : ''
    const count = `${classes(told)} ${told === 1 ? 'moves' : 'move'} to another level${whose}`
    const exempt = exemptInWords(usual.some(touchesExempt) ? usual : moves)
    return [count, systemInWords(moves), exempt, ...open].join('; ')
  }
  const within = usual.length
  const sure = undecided.length > 0 ? 'no request is known to change its level' : 'no request changes its level'
  const but = between.length > 0 ? ', but for identities with unusual groups' : ''
  const flows = `${classes(within)} ${within === 1 ? 'changes' : 'change'} FlowSchema or flow within one`
  return [sure + but, ...(within === 0 ? [] : [flows]), ...open].join('; ')
}

function refusingInWords(settings: Simulation['settings']): string[] {
  const count = settings.filter(refusesNow).length
  if (count === 0) return []
  return [`${count} ${count === 1 ? 'level refuses' : 'levels refuse'} instead of queuing`]
}

function classes(count: number): string {
  return counted(count, 'class of requests', 'classes of requests')
}

function systemInWords(moves: readonly RatedMove[]): string {
  const titles = systemAmong(moves).map(({ title }) => title)
  if (titles.length === 0) return 'no system traffic'
  return titles.length > 2
    ? `SYSTEM TRAFFIC: ${titles[0]} and ${titles.length - 1} more`
    : `SYSTEM TRAFFIC: ${titles.join(' and ')}`
}

/** Each class once, in the order of the moves. */
export function systemAmong(moves: readonly RatedMove[]): SystemTraffic[] {
  return [...new Set(moves.flatMap(({ system }) => system))]
}

function exemptInWords(moves: readonly RatedMove[]): string {
  const now = moves.filter(({ effects }) => effects.includes('now-exempt')).length
  const noLonger = moves.filter(({ effects }) => effects.includes('no-longer-exempt')).length
  const parts = [
    ...(now > 0 ? [`${now === 1 ? 'one becomes' : `${now} become`} EXEMPT`] : []),
    ...(noLonger > 0 ? [`${noLonger === 1 ? 'one is' : `${noLonger} are`} no longer exempt`] : []),
  ]
  return parts.length === 0 ? 'nobody becomes exempt' : parts.join(', ')
}

/** All moves from one place to another, as one line. */
export interface FoldedMove {
  from: EffectiveSchema
  to: EffectiveSchema
  /** The riskiest first. */
  moves: RatedMove[]
}

/** Moves by where they come from and go to, in the order of the riskiest of each. */
export function foldedMoves(moves: readonly RatedMove[]): FoldedMove[] {
  const folded = new Map<string, FoldedMove>()
  for (const move of moves) {
    const key = [move.from, move.to].map(placeKey).join('\n')
    const line = folded.get(key)
    if (line) line.moves.push(move)
    else folded.set(key, { from: move.from, to: move.to, moves: [move] })
  }
  return [...folded.values()]
}

/** Lines of the moves that a reader sees unasked: the riskiest stand first. */
const MOST_LINES = 40

/** @param all  however many there are */
export function shownLines(folded: readonly FoldedMove[], all: boolean): { shown: FoldedMove[]; hidden: string[] } {
  const shown = all ? [...folded] : folded.slice(0, MOST_LINES)
  const more = folded.length - shown.length
  return { shown, hidden: more === 0 ? [] : [`${counted(more, 'more line')} (-o wide shows all).`] }
}

/** Lines that a reader sees unasked: moves of unusual identities stand in the wide table, and in one sentence. */
export function usualMoves(moves: readonly RatedMove[]): RatedMove[] {
  const usual = moves.filter(({ unusual }) => !unusual)
  return usual.length > 0 ? usual : [...moves]
}

function placeKey({ schema, level }: EffectiveSchema): string {
  return JSON.stringify([schema.metadata.name, level.metadata.name])
}

/** The level, and where only the FlowSchema differs that too. */
export function placeInWords(place: EffectiveSchema, other: EffectiveSchema): string {
  const level = place.level.metadata.name
  return level === other.level.metadata.name ? `${level} (${place.schema.metadata.name})` : level
}

export function whoMoves({ moves }: FoldedMove): string {
  return whoInWords(moves.flatMap(({ identities }) => identities))
}

export function whatMoves({ moves }: FoldedMove, bypass?: Region): string {
  const namespaced = moves.flatMap(({ requests }) => requests.namespaced)
  const cluster = moves.flatMap(({ requests }) => requests.cluster)
  const nonResource = moves.flatMap(({ requests }) => requests.nonResource)
  return requestsInWords({ namespaced, cluster, nonResource }, undefined, bypass)
}

/** Why a reviewer should look twice; '' for nothing. */
export function riskInWords({ moves }: FoldedMove): string {
  const words = systemAmong(moves).map(({ name }) => name)
  const has = (effect: RatedMove['effects'][number]) => moves.some(({ effects }) => effects.includes(effect))
  const exempt = moves.some(touchesExempt)
  return [
    ...(words.length > 0 ? [`system: ${words.slice(0, 2).join(', ')}${words.length > 2 ? ', …' : ''}`] : []),
    ...(exempt && has('now-exempt') ? ['now exempt'] : []),
    ...(exempt && has('no-longer-exempt') ? ['no longer exempt'] : []),
    ...(has('now-rejected') ? ['refused when full'] : []),
    ...(has('now-catch-all') ? ['catch-all'] : []),
    ...(moves.some(({ redealt }) => redealt !== null) ? ['other queues'] : []),
  ].join('; ')
}

/** `list pods -n shop` */
export function witnessInWords(line: RequestLine): string {
  const read = readRequestLine(line)
  return isMalformed(read) || isRefused(read.request) ? '' : requestWords(read.request)
}

export function seatsWarningInWords(level: string, warning: SeatsWarning): string {
  switch (warning.kind) {
    case 'one-list':
      return `${level}: one LIST may take ${counted(warning.oneList, 'seat')}, more than the ${thousands(warning.nominal)} that the level has of its own`
    case 'narrower-lists': {
      const { before, after, need } = warning
      const what = need === null ? '' : `; one of ${need.resource} needs ${thousands(need.seats)}`
      return `${level}: one LIST may take ${counted(after, 'seat')}, ${thousands(before)} before${what}; wider ones are charged less than they cost`
    }
    case 'demand': {
      const { demand, nominalBefore, nominal, fits } = warning
      const then = fits === 'by-borrowing' ? 'it will borrow, or queue' : 'it will queue or refuse'
      return `${level} uses ${thousands(demand)} of ${thousands(nominalBefore)}; after: ${thousands(nominal)}, ${then}`
    }
  }
}

// On the way

/**
 * What has to be known about the steps of the change; nothing where all is well.
 * @param wide  detours of unusual identities too, not only that there are some
 */
export function wayInWords(way: OnTheWay, draining: readonly Draining[], wide = false): string[] {
  const lines = statesInWords(way.states, wide)
  if (!wide && way.states.some(({ detours }) => detours.length > 0 && detours.every(isUnusual))) {
    lines.push('On the way identities with unusual groups take detours (-o wide shows them).')
  }
  if (way.verdict === 'reorder' && way.order !== null) {
    lines.push(...orderInWords(way.order))
  } else if (way.verdict === 'unavoidable') {
    lines.push(way.edits === 1 ? 'Nothing avoids that.' : 'No order of the steps avoids that.')
  } else if (way.verdict === 'undecided') {
    const what = lines.length === 0 ? 'requests take detours on the way' : 'some order of the steps avoids that'
    lines.push(`Whether ${what} was not decided.`)
  }
  const several = new Set(draining.map(({ server }) => server)).size > 1
  for (const { level, nominal, server } of draining) {
    const where = several ? ` on ${server}` : ''
    lines.push(
      `${level} keeps ${counted(nominal[level] ?? 0, 'seat')}${where} after it is deleted, until its last request is done.`,
    )
  }
  return [...lines, ...way.undecided.map((sentence) => `Not decided: ${sentence}.`)]
}

/** Steps that fit into one line. */
const SHORT_ORDER = 3

function orderInWords(order: readonly ObjectEdit[]): string[] {
  const steps = order.map(stepInWords)
  if (steps.length <= SHORT_ORDER) return [`Safe order: ${steps.join(', ')}.`]
  return ['Safe order:', ...steps.map((step, index) => `  ${index + 1}. ${step}`)]
}

/** What is so in several states is told once. */
function statesInWords(states: readonly WayState[], wide: boolean): string[] {
  const told = new Map<string, { when: string[]; classes: number }>()
  const tell = (sentence: string, edit: ObjectEdit | null, classes: number) => {
    const known = told.get(sentence) ?? { when: [], classes }
    known.when.push(
      edit === null ? 'until the servers have done their part, within a minute' : `once ${editInWords(edit)}`,
    )
    told.set(sentence, { ...known, classes: Math.max(known.classes, classes) })
  }
  for (const { edit, dangling, detours } of states) {
    for (const name of dangling) tell(`FlowSchema ${name} takes nothing, its level is not there`, edit, 1)
    const shown = wide ? detours : detours.filter((detour) => !isUnusual(detour))
    const [first] = shown
    if (first !== undefined) tell(detourInWords(first), edit, shown.length)
  }
  return [...told].map(([sentence, { when, classes }]) => {
    const states = when.length === 1 ? '' : ` (and after ${counted(when.length - 1, 'more step')})`
    const more = classes === 1 ? '' : ` (and ${counted(classes - 1, 'more class', 'more classes')})`
    return `On the way, ${when[0]}${states}: ${sentence}${more}.`
  })
}

function detourInWords({ identities, requests, from, via, to }: Detour): string {
  const levels = `lands in ${via.level.metadata.name} instead of ${ends(from, to)}`
  return `${whoInWords(identities)}, ${requestsInWords(requests)}, ${levels}`
}

function ends(from: EffectiveSchema, to: EffectiveSchema): string {
  const [a, b] = [from.level.metadata.name, to.level.metadata.name]
  return a === b ? a : `${a} or ${b}`
}

function editInWords({ object, before, after }: ObjectEdit): string {
  const done = before === null ? 'is created' : after === null ? 'is deleted' : 'is changed'
  return `${object.kind} ${object.name} ${done}`
}

/** `create PriorityLevelConfiguration shop` */
function stepInWords({ object, before, after }: ObjectEdit): string {
  const action = before === null ? 'create' : after === null ? 'delete' : 'change'
  return `${action} ${object.kind} ${object.name}`
}
