/** Where the configuration comes from: the flags of a command turned into one ClusterState. */
import { defaultObjects, type ObjectSet } from '../apf/defaults/index.ts'
import type { ApfObject } from '../apf/objects.ts'
import { type Place, type Problem, placeOf } from '../apf/problem.ts'
import {
  type KnownVersion,
  minorText,
  NEWEST_MINOR,
  OLDEST_MINOR,
  resolveVersion,
  rulesFor,
  type ServerVersion,
  type VersionRules,
} from '../apf/versions.ts'
import type { ClusterState, SourceDescription } from './cluster-state.ts'
import { asGiven, type Overlay, overDefaults, overDefaultsIfNone } from './defaults.ts'
import { invalidInput, isSourceFailure, type SourceFailure, unanswered } from './failure.ts'
import type { FilesRead } from './files.ts'
import type { ConnectOptions } from './live/connect.ts'

export interface SourceOptions {
  /** `--from`, in the order given: files, folders, `-`. */
  from: readonly string[]
  /** `--defaults MINOR`. */
  defaults?: string | undefined
  overlayDefaults: boolean
  serverVersion?: string | undefined
  /** What `-` reads; standard input unless given. */
  stdin?: AsyncIterable<Uint8Array>
  /** How to connect, for a command that asks a live cluster where neither --from nor --defaults is given. */
  live?: ConnectOptions
}

type VersionBasis = ClusterState['serverVersion']['basis']

interface VersionInForce extends KnownVersion {
  basis: VersionBasis
}

/**
 * Opens the source that the flags name. A failure is a value as well; so are problems of single files and objects, which
 * are in the state. Of those, severity error means that an input could not be used.
 */
export async function openSource(options: SourceOptions): Promise<ClusterState | SourceFailure> {
  const given = givenVersion(options)
  if (given !== null && isSourceFailure(given)) return given
  if (options.from.length > 0) return await openFiles(options, given)
  if (options.overlayDefaults && options.defaults === undefined) {
    return invalidInput(
      '--overlay-defaults without --from',
      'it adds default objects to those of files',
      'add --from PATH',
    )
  }
  if (given !== null && options.defaults !== undefined) return openDefaults(given)
  if (options.live !== undefined) {
    const { openLive } = await import('./live/open.ts')
    return openLive({ ...options.live, serverVersion: given })
  }
  return noSource()
}

function noSource(): SourceFailure {
  return unanswered(
    'no configuration to work on',
    'neither --from nor --defaults is given',
    `give --defaults ${minorText(NEWEST_MINOR)} for the default objects, or --from PATH for files`,
  )
}

function openDefaults(version: VersionInForce): ClusterState {
  const { rules } = version
  const text = `defaults ${minorText(rules.minor)}`
  const problems: Problem[] = []
  return state({ kind: 'defaults', text, complete: true }, defaultObjects(rules), version, problems, [])
}

async function openFiles(options: SourceOptions, given: VersionInForce | null): Promise<ClusterState | SourceFailure> {
  const { readFiles } = await import('./files.ts')
  const read = await readFiles(options.from, options.stdin ?? process.stdin)
  const version = versionInForce(options, given, read)
  if (isSourceFailure(version)) return version
  const { decodeFound } = await import('./manifests.ts')
  const decoded = decodeFound(read.found, version.rules)
  const failure =
    options.defaults === undefined && decoded.objects.length === 0 ? nothingUsable(decoded.problems) : null
  return failure ?? filesState(options, read, decoded, { version, given })
}

/**
 * The state of files that were read, for the version that the flags name: so that one reading serves several versions. That
 * nothing in them can be used is among the problems, no failure.
 */
export async function openRead(read: FilesRead, options: SourceOptions): Promise<ClusterState | SourceFailure> {
  const given = givenVersion(options)
  if (given !== null && isSourceFailure(given)) return given
  const version = versionInForce(options, given, read)
  if (isSourceFailure(version)) return version
  const { decodeFound } = await import('./manifests.ts')
  return filesState(options, read, decodeFound(read.found, version.rules), { version, given })
}

function filesState(
  options: SourceOptions,
  read: FilesRead,
  { objects, problems }: { objects: ApfObject[]; problems: Problem[] },
  { version, given }: { version: VersionInForce; given: VersionInForce | null },
): ClusterState {
  const { rules } = version
  const own = lastOfEachName(objects, problems)
  const overlay = overlaid(options, own, read, rules)
  const hasDefaults = options.defaults !== undefined || options.overlayDefaults
  if (objects.length === 0 && problems.length === 0 && hasDefaults) problems.push(nothingAdded())
  const notes = [...versionNotes(version, given, read), ...read.notes]
  if (overlay.note !== null) notes.push(overlay.note)
  const opened = {
    ...state(description(read, options, rules), overlay.objects, version, problems, notes),
    own,
    ...(read.recordings.length > 0 && { recordings: read.recordings }),
  }
  return objects.length === 0 && !hasDefaults ? { ...opened, noObjects: noObjects(read) } : opened
}

function overlaid(options: SourceOptions, own: ObjectSet, read: FilesRead, rules: VersionRules): Overlay {
  if (options.defaults !== undefined) return overDefaults(own, rules)
  if (options.overlayDefaults) return overDefaultsIfNone(own, rules)
  return read.recordingsOnly ? { objects: own, note: null } : asGiven(own, rules)
}

function description(read: FilesRead, options: SourceOptions, rules: VersionRules): SourceDescription {
  const [only] = read.files
  const alone = options.defaults === undefined && !options.overlayDefaults
  const over = alone ? '' : ` over defaults ${minorText(rules.minor)}`
  if (read.recordingsOnly) return { kind: 'snapshot', text: `${read.recording}${over}`, complete: true }
  const files = read.files.length === 1 ? String(only) : `${read.files.length} files`
  return { kind: 'files', text: `${files}${over}`, complete: false }
}

function state(
  source: SourceDescription,
  objects: ObjectSet,
  { rules, text, basis, newerThanKnown }: VersionInForce,
  problems: Problem[],
  notes: string[],
): ClusterState {
  return { source, ...objects, rules, serverVersion: { text, basis, newerThanKnown }, problems, notes }
}

// Which version

/** The version that the flags name, `--server-version` before `--defaults`, as it may name the patch. Null without. */
export function givenVersion({
  defaults,
  serverVersion,
}: Pick<SourceOptions, 'defaults' | 'serverVersion'>): VersionInForce | SourceFailure | null {
  const ofDefaults = defaults === undefined ? null : knownVersion('--defaults', defaults)
  if (ofDefaults !== null && isSourceFailure(ofDefaults)) return ofDefaults
  if (ofDefaults?.newerThanKnown) {
    return unknownVersion('--defaults', ofDefaults.text, [minorText(NEWEST_MINOR - 1), minorText(NEWEST_MINOR)])
  }
  const ofServer = serverVersion === undefined ? null : knownVersion('--server-version', serverVersion)
  if (ofServer === null || isSourceFailure(ofServer)) return ofServer ?? ofDefaults
  if (ofDefaults && (ofServer.newerThanKnown || ofDefaults.rules.minor !== ofServer.rules.minor)) {
    return invalidInput(
      `--defaults ${ofDefaults.text} with --server-version ${ofServer.text}`,
      'they are of different minors',
      'give one of them, or both of one minor',
    )
  }
  return ofServer
}

function knownVersion(flag: string, text: string): VersionInForce | SourceFailure {
  const version = resolveVersion(text)
  return version.known ? { ...version, basis: 'given' } : unknownVersion(flag, text, version.nearest)
}

function unknownVersion(flag: string, text: string, nearest: readonly string[]): SourceFailure {
  const range = `known are ${minorText(OLDEST_MINOR)} to ${minorText(NEWEST_MINOR)}`
  return invalidInput(`${flag} ${text}: no Kubernetes version that is known`, range, `nearest: ${nearest.join(', ')}`)
}

/** `--defaults` decides, else what a recording says, else `--server-version`, else the newest version is assumed. */
function versionInForce(
  options: SourceOptions,
  given: VersionInForce | null,
  { serverVersion, recording }: FilesRead,
): VersionInForce | SourceFailure {
  if (given !== null && (options.defaults !== undefined || serverVersion === null)) return given
  if (serverVersion === null) {
    const rules = rulesFor({ minor: NEWEST_MINOR })
    return { known: true, rules, text: minorText(NEWEST_MINOR), newerThanKnown: false, basis: 'assumed-newest' }
  }
  const recorded = resolveVersion(serverVersion)
  if (recorded.known) return { ...recorded, basis: 'read' }
  return unanswered(
    `${recording} was recorded from Kubernetes ${serverVersion.text}`,
    `known are ${minorText(OLDEST_MINOR)} to ${minorText(NEWEST_MINOR)}`,
    'give --defaults MINOR to take the rules of that version',
  )
}

function versionNotes(version: VersionInForce, given: VersionInForce | null, read: FilesRead): string[] {
  const rules = minorText(version.rules.minor)
  const notes: string[] = []
  if (version.basis === 'assumed-newest') notes.push(`server version not given: rules of ${rules} used`)
  if (version.newerThanKnown)
    notes.push(`Kubernetes ${version.text} is newer than what is known: rules of ${rules} used`)
  if (given !== null && read.serverVersion !== null && differ(given, read.serverVersion)) {
    notes.push(
      `${read.recording} was recorded from Kubernetes ${read.serverVersion.text}; rules of ${version.text} used`,
    )
  }
  return notes
}

function differ(given: VersionInForce, recorded: ServerVersion): boolean {
  return given.rules.minor !== recorded.minor
}

// Objects of one name

/** As after `kubectl apply` of one input after the other, the last object of a name counts. */
function lastOfEachName(objects: readonly ApfObject[], problems: Problem[]): ObjectSet {
  const last = new Map<string, ApfObject>()
  for (const object of objects) {
    const { kind, metadata } = object
    const key = `${kind}/${metadata.name}`
    const earlier = last.get(key)
    if (earlier) {
      // The winner stands where it was given.
      last.delete(key)
      const problem = givenTwice(earlier, object)
      if (problem) problems.push(problem)
    }
    last.set(key, object)
  }
  const set: ObjectSet = { flowSchemas: [], priorityLevels: [] }
  for (const object of last.values()) {
    if (object.kind === 'FlowSchema') set.flowSchemas.push(object)
    else set.priorityLevels.push(object)
  }
  return set
}

/** Null where one file was given twice. */
function givenTwice(earlier: ApfObject, later: ApfObject): Problem | null {
  const { kind, metadata } = later
  const at = placeOf(later.origin, [])
  const first = placeText(placeOf(earlier.origin, []))
  const second = placeText(at)
  if (first === second) return null
  return {
    code: 'defined-twice',
    severity: 'warning',
    message: `${kind} ${metadata.name} is defined twice, in ${first} and in ${second}; the one in ${second} counts, as given last`,
    fix: 'remove or rename one of them',
    at,
    object: { kind, name: metadata.name },
  }
}

function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

/** Where not one object could be read because of errors, there is nothing to answer from; null without an error. */
function nothingUsable(problems: readonly Problem[]): SourceFailure | null {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return null
  const what = `${placeText(first.at ?? {})}: ${first.message}`
  const others = errors.length - 1
  const why = others === 0 ? '' : `and ${others} more ${others === 1 ? 'error' : 'errors'}; no object could be read`
  return { ...invalidInput(what, why, first.fix ?? ''), problems }
}

const NO_OBJECTS = 'no FlowSchema and no PriorityLevelConfiguration in the given files'

function nothingAdded(): Problem {
  return { code: 'no-objects', severity: 'warning', message: NO_OBJECTS, fix: 'check the paths' }
}

/** A server whose objects were not recorded has some; a path without objects is most likely the wrong one. */
function noObjects({ recordingsOnly, recording }: FilesRead): SourceFailure {
  const next = 'check the paths, or take the default objects with --overlay-defaults'
  if (recordingsOnly) return unanswered(`no FlowSchemas were recorded in ${recording}`, '', next)
  return invalidInput(NO_OBJECTS, '', next)
}
