/** From the flags of a change to its steps, or to the whole other state that it leads to. */

import type { ApplyStep, ChangeStep, ObjectRef } from '../../analysis/change/change.ts'
import type { SimulatedObjects } from '../../analysis/simulation.ts'
import { typeMetaOf } from '../../apf/decode.ts'
import { memberOf } from '../../apf/member.ts'
import type { Problem } from '../../apf/problem.ts'
import { PROBLEM } from '../../apf/problem-codes.ts'
import { minorText, type VersionRules } from '../../apf/versions.ts'
import { CliError, EXIT, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printNotes, printProblems } from '../../cli/messages.ts'
import { requireObjects } from '../../cli/source.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { isSourceFailure, type SourceFailure } from '../../sources/failure.ts'
import { givenVersion, openSource } from '../../sources/open.ts'
import type { SimulateFlagValues } from './flags.ts'
import { contradiction, deleteStep, patchStep, setStep, togetherByObject } from './words.ts'

/** What the flags ask for. */
export interface Change {
  steps: ChangeStep[]
  /** The state of --to, with its source; null without. */
  to: ClusterState | null
  /** Of the servers after. */
  after: { rules: VersionRules; text: string }
}

const CHANGES = ['filename', 'delete', 'patch', 'set', 'to'] as const

/**
 * Reads what the flags name; what is found wrong on the way is printed.
 * @throws CliError where there is no change, or one that cannot be meant
 */
export async function readChange(flags: SimulateFlagValues, state: ClusterState, io: Io): Promise<Change> {
  const version = versionAfter(flags)
  const given = CHANGES.filter((name) => (flags[name] ?? []).length > 0)
  if (given.length === 0 && version === null) {
    throw usageError(
      'simulate which change?',
      undefined,
      'give -f FILE, --delete, --patch, --set, --to PATH or --to-defaults MINOR',
    )
  }
  const [other] = given.filter((name) => name !== 'to')
  if (given.includes('to') && other !== undefined) {
    throw usageError(
      `--to with ${other === 'filename' ? '-f' : `--${other}`}`,
      '--to is a whole other state',
      'leave one of them out',
    )
  }
  const to = given.includes('to') ? await otherState(flags, state, io) : null
  const recorded = to?.serverVersion.basis === 'read' ? { rules: to.rules, text: to.serverVersion.text } : null
  const after = version ?? recorded ?? { rules: state.rules, text: state.serverVersion.text }
  return { steps: await stepsOf(flags, state, io), to, after }
}

/** What a simulation takes of a state. */
export function toObjects({ flowSchemas, priorityLevels, rules, source }: ClusterState): SimulatedObjects {
  return { objects: { flowSchemas, priorityLevels }, rules, complete: source.complete }
}

/** The version of the flags, in the words of the flags. */
function versionAfter(flags: SimulateFlagValues): Change['after'] | null {
  const given = givenVersion({ defaults: flags['to-defaults'], serverVersion: flags['to-server-version'] })
  if (given === null || !isSourceFailure(given)) return given
  throw new CliError({ ...given, what: inOurFlags(given.what), why: inOurFlags(given.why) })
}

function inOurFlags(text: string): string {
  return text.replaceAll('--defaults', '--to-defaults').replaceAll('--server-version', '--to-server-version')
}

async function otherState(flags: SimulateFlagValues, state: ClusterState, io: Io): Promise<ClusterState> {
  const opened = await openSource({
    from: flags.to ?? [],
    defaults: flags.defaults,
    overlayDefaults: flags['overlay-defaults'],
    serverVersion: flags['to-server-version'] ?? flags['to-defaults'] ?? minorText(state.rules.minor),
    stdin: io.stdin,
  })
  if (isSourceFailure(opened)) throw new CliError(ofTo(opened))
  const { problems } = opened
  const isEmpty =
    problems.some(({ code }) => code === 'no-objects') ||
    problems.filter(({ code }) => code === 'empty').length === flags.to?.length
  printProblems(
    problems.filter(({ code }) => code !== 'no-objects'),
    io,
  )
  printNotes(opened.notes, flags.quiet, io)
  if (problems.some(({ severity }) => severity === 'error')) throw nothingSimulated('--to could not be read whole')
  if (opened.noObjects !== undefined) throw new CliError(ofTo(opened.noObjects))
  if (isEmpty) {
    throw usageError('no FlowSchema and no PriorityLevelConfiguration in what --to names', undefined, 'check the paths')
  }
  requireObjects(opened)
  return opened
}

function ofTo(failure: SourceFailure): SourceFailure {
  return { ...failure, exitCode: 2, what: failure.what.replace('in the given files', 'in what --to names') }
}

async function stepsOf(flags: SimulateFlagValues, state: ClusterState, io: Io): Promise<ChangeStep[]> {
  const applies = (flags.filename ?? []).length > 0 ? await applySteps(flags, state, io) : []
  const applied = applies.flatMap(({ ref }) => ref ?? [])
  const patches = await Promise.all((flags.patch ?? []).map((word) => patchStep(word, flags['patch-type'])))
  const known: ObjectRef[] = [...state.flowSchemas, ...state.priorityLevels].map(({ kind, metadata }) => ({
    kind,
    name: metadata.name,
  }))
  const sets = (flags.set ?? []).map((word) => setStep(word, [...known, ...applied]))
  const deletes = [...new Set(flags.delete)].map(deleteStep)
  const edited = [...applied, ...[...patches, ...sets].map(({ target }) => target)]
  const fault = contradiction(deletes, edited, sets)
  if (fault !== null) throw fault
  return [...applies.map(({ step }) => step), ...patches, ...togetherByObject(sets), ...deletes]
}

interface ReadStep {
  step: ApplyStep
  /** Null where it does not even say what it is. */
  ref: ObjectRef | null
}

async function applySteps(flags: SimulateFlagValues, state: ClusterState, io: Io): Promise<ReadStep[]> {
  const { readFiles } = await import('../../sources/files.ts')
  const { decodeFound } = await import('../../sources/manifests.ts')
  const read = await readFiles(flags.filename ?? [], io.stdin)
  printNotes(read.notes, flags.quiet, io)
  const steps: ReadStep[] = []
  const problems: Problem[] = []
  for (const found of read.found) {
    const decoded = decodeFound([found], state.rules)
    problems.push(...decoded.problems.filter((problem) => isOfReading(problem, 'problem' in found)))
    if ('problem' in found) continue
    const { value, origin, defaults, served } = found.candidate
    const step: ApplyStep = {
      action: 'apply',
      written: value,
      origin,
      type: defaults,
      served,
      serverSide: flags['server-side'],
    }
    steps.push({ step, ref: refOfData(value, defaults) })
  }
  problems.push(...givenTwice(steps))
  printProblems(problems, io)
  if (problems.some(({ severity }) => severity === 'error'))
    throw nothingSimulated('the change could not be read whole')
  if (steps.length === 0) {
    throw usageError('no FlowSchema and no PriorityLevelConfiguration in what -f names', undefined, 'check the paths')
  }
  return steps
}

/** What the reader alone can tell; the rest is judged when the change is carried out, as the server judges it. */
function isOfReading({ code, severity }: Problem, isInput: boolean): boolean {
  return (
    isInput || code === 'template' || code === 'nameless' || (code === PROBLEM.duplicateKey && severity === 'warning')
  )
}

function refOfData(value: unknown, type: ApplyStep['type']): ObjectRef | null {
  const kind = typeMetaOf(value, type ?? undefined)?.kind
  const metadata = memberOf(value, 'metadata')
  const name = memberOf(metadata, 'name')
  if ((kind !== 'FlowSchema' && kind !== 'PriorityLevelConfiguration') || typeof name !== 'string') return null
  return { kind, name }
}

/** kubectl applies one after the other, so that the last one counts. */
function givenTwice(steps: readonly ReadStep[]): Problem[] {
  const known = new Map<string, string>()
  return steps.flatMap(({ step, ref }) => {
    if (ref === null) return []
    const key = `${ref.kind}/${ref.name}`
    const first = known.get(key)
    const { file } = step.origin
    const { line } = step.origin.locate([]) ?? {}
    const place = line === undefined ? file : `${file}:${line}`
    known.set(key, place)
    if (first === undefined) return []
    const message = `${ref.kind} ${ref.name} is given twice, in ${first} and in ${place}: applied one after the other, the last one counts`
    return [{ code: 'defined-twice', severity: 'warning' as const, message, object: ref }]
  })
}

/** The error that ends the command: an answer to a part of the change would mislead. */
export function nothingSimulated(what: string, next?: string): CliError {
  return new CliError({
    exitCode: EXIT.usage,
    what: `nothing was simulated: ${what}`,
    ...(next !== undefined && { next }),
  })
}
