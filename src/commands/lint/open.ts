/** The configurations that are judged: one state for each target, from files that are read once. */
import { parseServerVersion } from '../../apf/versions.ts'
import { CliError, usageError } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { isLive, liveOptions, type SourceFlagValues } from '../../cli/source.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import { isSourceFailure } from '../../sources/failure.ts'
import { openRead, openSource, type SourceOptions } from '../../sources/open.ts'
import type { SourceText } from '../../sources/source-text.ts'

export interface LintSource {
  /** One for each target, in the order given; never empty. */
  states: ClusterState[]
  /** Texts of the files by name, where there are some. */
  texts: ReadonlyMap<string, SourceText>
  close(): void
}

export interface OpenFlags extends SourceFlagValues {
  from: string[]
  as?: string | undefined
  'as-group'?: string[] | undefined
  'as-uid'?: string | undefined
}

/**
 * Opens what the flags name.
 * @param targets  minors; empty: that of the flags or of the source
 * @param texts  what is taken for the texts of files instead of their content
 * @throws CliError
 */
export async function openLintSource(
  flags: OpenFlags,
  targets: readonly string[],
  io: Io,
  texts?: ReadonlyMap<string, string>,
): Promise<LintSource> {
  if (flags.from.length > 0) return await openFiles(flags, targets, io, texts)
  if (flags.defaults !== undefined || targets.length === 0) return await openOther(flags, targets, io)
  return await openOther(flags, targets, io)
}

async function openFiles(
  flags: OpenFlags,
  targets: readonly string[],
  io: Io,
  texts: ReadonlyMap<string, string> | undefined,
): Promise<LintSource> {
  // What contradicts --from is told.
  await liveOptions(flags, { impersonation: impersonationOf(flags), readsStdin: false }, io)
  const { readFiles } = await import('../../sources/files.ts')
  const read = await readFiles(flags.from, io.stdin, texts)
  const base: SourceOptions = {
    from: flags.from,
    defaults: flags.defaults,
    overlayDefaults: !read.recordingsOnly,
    serverVersion: flags['server-version'],
  }
  const options = targets.length === 0 ? [base] : targets.map((target) => ({ ...base, defaults: target }))
  const states: ClusterState[] = []
  for (const each of options) {
    const state = await openRead(read, each)
    if (isSourceFailure(state)) throw new CliError(state)
    states.push(state)
  }
  return { states, texts: read.texts, close: () => {} }
}

async function openOther(flags: OpenFlags, targets: readonly string[], io: Io): Promise<LintSource> {
  const live = await liveOptions(flags, { impersonation: impersonationOf(flags), readsStdin: false }, io)
  const state = await openSource({
    from: [],
    defaults: flags.defaults,
    overlayDefaults: flags['overlay-defaults'],
    serverVersion: flags['server-version'],
    ...(live === null ? {} : { live }),
  })
  if (isSourceFailure(state)) throw new CliError(state)
  void targets
  return { states: [state], texts: new Map(), close: () => (isLive(state) ? state.live.client.close() : undefined) }
}

function impersonationOf(flags: OpenFlags) {
  return { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
}

/** The minors of `--target 1.28,1.34`. @throws CliError */
export function parseTargets(text: string): string[] {
  const targets = text.split(',').map((target) => target.trim())
  const wrong = targets.find((target) => parseServerVersion(target) === null)
  if (wrong !== undefined)
    throw usageError(`--target ${wrong}: no minor of Kubernetes`, undefined, '--target 1.28,1.34')
  return targets
}
