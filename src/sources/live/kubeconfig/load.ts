/**
 * Which kubeconfig files count, and what they say together.
 * Source: kubernetes/client-go tools/clientcmd/loader.go
 */
import { readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { invalidInput, isSourceFailure, type SourceFailure } from '../../failure.ts'
import { decodeKubeconfig } from './decode.ts'
import type { Kubeconfig } from './model.ts'

export interface LoadingRules {
  /** `--kubeconfig`; '' without. The file must exist. */
  explicitPath: string
  /** The variable KUBECONFIG; '' without. */
  listed: string
  /** Home folder, for `.kube/config`. */
  home: string
}

/**
 * Reads and merges: `--kubeconfig` alone, or else the files of KUBECONFIG, or else `~/.kube/config`. Of the latter two,
 * files that are missing are passed over. An entry counts as the first file that has its name gives it, whole; the current
 * context is the first that is not empty. Without any file the result is empty.
 */
export function loadKubeconfig(rules: LoadingRules): Kubeconfig | SourceFailure {
  const merged: Kubeconfig[] = []
  for (const { file, mustExist } of candidates(rules)) {
    const text = readText(file, mustExist)
    if (text === null) continue
    const decoded = typeof text === 'string' ? decodeKubeconfig(text, file) : text
    if (isSourceFailure(decoded)) return decoded
    merged.push(decoded)
  }
  return {
    currentContext: merged.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    clusters: firstWins(merged.map(({ clusters }) => clusters)),
    users: firstWins(merged.map(({ users }) => users)),
    contexts: firstWins(merged.map(({ contexts }) => contexts)),
    files: merged.flatMap(({ files }) => files),
  }
}

function candidates({ explicitPath, listed, home }: LoadingRules): { file: string; mustExist: boolean }[] {
  if (explicitPath !== '') return [{ file: resolve(explicitPath), mustExist: true }]
  const names = listed === '' ? [join(home, '.kube', 'config')] : listed.split(delimiter).filter((name) => name !== '')
  return [...new Set(names.map((name) => resolve(name)))].map((file) => ({ file, mustExist: false }))
}

function readText(file: string, mustExist: boolean): string | null | SourceFailure {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' && !mustExist) return null
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : `reading failed (${code})`
    return invalidInput(`kubeconfig ${file} cannot be read`, why, 'choose another file with --kubeconfig or KUBECONFIG')
  }
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]))
}
