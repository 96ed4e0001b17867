/** The configurations that are judged: one state for each target, from files that are read once. */
import {
  minorText,
  NEWEST_MINOR,
  parseServerVersion,
  resolveVersion,
  rulesFor,
  type VersionRules,
} from '../../apf/versions.ts'
import { CliError, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { isLive, liveOptions, type SourceFlagValues } from '../../cli/source.ts'
import { BACKEND_KINDS } from '../../lint/backends.ts'
import { type Evidence, NO_EVIDENCE } from '../../lint/rule.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { isSourceFailure } from '../../sources/failure.ts'
import type { FilesRead } from '../../sources/files.ts'
import type { LiveState } from '../../sources/live/open.ts'
import { openRead, openSource, type SourceOptions } from '../../sources/open.ts'
import type { SourceText } from '../../sources/source-text.ts'
import type { RecordedFrom } from './evidence.ts'

export interface LintSource {
  /** One for each target, oldest first; never empty. */
  states: [ClusterState, ...ClusterState[]]
  /** Texts of the files by name, where there are some. */
  texts: ReadonlyMap<string, SourceText>
  notes: string[]
  /** The version that the source itself tells of; null for files. */
  version: VersionRules | null
  evidence: Evidence
  close(): void
}

export interface OpenFlags extends SourceFlagValues {
  from: string[]
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

export interface OpenOptions {
  /** Minors to judge for; empty: that of the flags or of the source. */
  targets: readonly string[]
  /** By name, what is taken for the texts of files instead of their content. */
  texts?: ReadonlyMap<string, string>
}

/**
 * Opens what the flags name. Files are laid over the default objects of each target, recordings are taken as they are.
 * @throws CliError
 */
export async function openLintSource(flags: OpenFlags, options: OpenOptions, io: Io): Promise<LintSource> {
  const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
  const live = await liveOptions(flags, { impersonation, readsStdin: false }, io)
  if (flags.from.length > 0) {
    const { readFiles } = await import('../../sources/files.ts')
    const read = await readFiles(flags.from, io.stdin, options.texts, BACKEND_KINDS)
    return filesSource(read, flags, options.targets, io)
  }
  const source = await openSource({ ...sourceOptions(flags), ...(live === null ? {} : { live }) })
  if (isSourceFailure(source)) throw new CliError(source)
  if (source.noObjects !== undefined) throw new CliError(source.noObjects)
  const close = () => (isLive(source) ? source.live.client.close() : undefined)
  try {
    const read = isLive(source) ? await readLive(source, flags, io) : { evidence: NO_EVIDENCE, notes: [] }
    return {
      states: forTargets(source, options.targets),
      texts: new Map(),
      version: source.rules,
      ...read,
      close,
    }
  } catch (error) {
    // An open connection would keep the process from ending.
    close()
    throw error
  }
}

async function readLive(state: LiveState, flags: OpenFlags, io: Io): Promise<Pick<LintSource, 'evidence' | 'notes'>> {
  const { liveEvidence } = await import('./evidence.ts')
  return liveEvidence(state, flags, io)
}

function sourceOptions(flags: OpenFlags): SourceOptions {
  return {
    from: flags.from,
    defaults: flags.defaults,
    overlayDefaults: flags['overlay-defaults'],
    serverVersion: flags['server-version'],
  }
}

async function filesSource(read: FilesRead, flags: OpenFlags, targets: readonly string[], io: Io): Promise<LintSource> {
  const base = sourceOptions(flags)
  const notes: string[] = []
  const laidOver = (): (string | undefined)[] => {
    if (targets.length > 0) return [...targets]
    if (flags.defaults !== undefined || read.recordingsOnly) return [flags.defaults]
    const given = parseServerVersion(flags['server-version'] ?? '')
    if (given === null)
      notes.push(`no target given: judged for Kubernetes ${minorText(NEWEST_MINOR)}, the newest known`)
    return [minorText(Math.min(given?.minor ?? NEWEST_MINOR, NEWEST_MINOR))]
  }
  const states: ClusterState[] = []
  for (const defaults of laidOver()) {
    const state = await openRead(read, { ...base, defaults })
    if (isSourceFailure(state)) throw new CliError(state)
    states.push(state)
  }
  const [first, ...others] = states
  if (first === undefined) throw new Error('files are read for one version at least')
  const version = recordedVersion(read)
  const { recordings, recordingsOnly, foreign: backends } = read
  const levels = recordingsOnly ? first.priorityLevels : null
  const evidence: Evidence =
    recordings.length === 0
      ? { ...NO_EVIDENCE, backends }
      : await readRecorded({ recordings, levels, release: version, backends }, io)
  return {
    states: [first, ...others],
    texts: read.texts,
    notes,
    version,
    evidence,
    close: () => {},
  }
}

async function readRecorded(recorded: RecordedFrom, io: Io): Promise<Evidence> {
  const { recordedEvidence } = await import('./evidence.ts')
  return recordedEvidence(recorded, io)
}

function recordedVersion({ recordingsOnly, serverVersion }: FilesRead): VersionRules | null {
  const version = recordingsOnly && serverVersion !== null ? resolveVersion(serverVersion) : null
  return version?.known ? version.rules : null
}

/** The objects of a server, judged as if it were of each target. */
function forTargets(state: ClusterState, targets: readonly string[]): [ClusterState, ...ClusterState[]] {
  const [first, ...others] = targets.flatMap((target) => {
    const version = parseServerVersion(target)
    return version === null ? [] : [{ ...state, rules: rulesFor(version) }]
  })
  return first === undefined ? [state] : [first, ...others]
}

/** The minors of `--target 1.28,1.34`, oldest first. @throws CliError */
export function parseTargets(text: string): string[] {
  const minors = text.split(',').map((target) => parseMinor('--target', target.trim()).minor)
  return [...new Set(minors)].sort((a, b) => a - b).map(minorText)
}

/** The rules of the version that a flag names. @throws CliError */
export function parseMinor(flag: string, text: string): VersionRules {
  const version = resolveVersion(text)
  if (version.known && !version.newerThanKnown) return version.rules
  const nearest = version.known ? [minorText(NEWEST_MINOR)] : version.nearest
  throw usageError(`${flag} ${text}: no Kubernetes version that is known`, `nearest: ${nearest.join(', ')}`)
}
