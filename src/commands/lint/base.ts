/** The base of --diff-base: a folder with another state of the files, or a commit of git, laid out in a folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { usageError } from '../../cli/errors.ts'

export interface Base {
  /** Where the files of the base are; none where it has none of them. */
  paths: string[]
  close(): void
}

/**
 * Finds the paths in the base. Of a folder they are the paths below it, or the folder itself where it holds none of them.
 * @param paths  as given to lint
 * @throws CliError
 */
export function openBase(base: string, paths: readonly string[]): Base {
  if (paths.length === 0 || paths.includes('-')) {
    throw usageError('--diff-base without files', 'only files can be compared with a base', 'name files or folders')
  }
  return isFolder(base) ? folderBase(base, paths) : commitBase(base, paths)
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function folderBase(folder: string, paths: readonly string[]): Base {
  const below = paths.filter((path) => !isAbsolute(path)).map((path) => join(folder, path))
  const there = below.filter((path) => existsSync(path))
  return { paths: there.length > 0 ? there : [folder], close: () => {} }
}

function commitBase(reference: string, paths: readonly string[]): Base {
  const root = git(reference, ['rev-parse', '--show-toplevel']).toString().trimEnd()
  const resolved = git(reference, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`])
  const commit = resolved.toString().trimEnd()
  const names = paths.map((path) =>
    relative(root, join(process.cwd(), isAbsolute(path) ? relative(process.cwd(), path) : path)),
  )
  const listed = git(reference, [
    '-C',
    root,
    'ls-tree',
    '-r',
    '-z',
    '--name-only',
    commit,
    '--',
    ...names.map((name) => name || '.'),
  ])
  const files = listed
    .toString()
    .split('\0')
    .filter((name) => name !== '' && (/\.(?:ya?ml|json)$/.test(name) || names.includes(name)))
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-apf-'))
  for (const file of files) {
    const target = join(folder, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, git(reference, ['-C', root, 'cat-file', 'blob', `${commit}:${file}`]))
  }
  const there = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
  return { paths: files.length === 0 ? [] : there, close: () => rmSync(folder, { recursive: true }) }
}

/** Largest answer of git that is taken. */
const MAX_BYTES = 1 << 30

function git(reference: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', args, { maxBuffer: MAX_BYTES })
  if (error !== undefined) {
    const why = 'code' in error && error.code === 'ENOENT' ? 'git is not installed' : error.message
    throw usageError(`--diff-base ${reference}: no such folder, and git cannot be asked`, why, 'give a folder')
  }
  if (status === 0) return stdout
  const [why = ''] = stderr
    .toString()
    .replace(/^fatal: /, '')
    .split('\n')
  throw usageError(
    `--diff-base ${reference}: neither a folder nor a commit of git`,
    why,
    'give a folder, a branch or a commit',
  )
}
