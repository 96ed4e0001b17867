/** Files from which other programs make manifests: they are named, not read. */
import type { Problem } from '../apf/problem.ts'
import { readDocuments } from './documents.ts'
import { readInputFile } from './input.ts'

/** A file in a language of its own, told by its name; null for all others. */
export function foreignLanguage(path: string): Problem | null {
  if (/\.(?:jsonnet|libsonnet)$/.test(path)) {
    return unrendered(path, 'error', 'a Jsonnet program, not a manifest', `jsonnet ${path}`)
  }
  return isKustomization(baseName(path))
    ? unrendered(path, 'error', 'a plan for Kustomize, not a manifest', `kubectl kustomize ${folderOf(path)}`)
    : null
}

/** What is said of a file that kubectl does not read either. */
export const JSON5_FIX = 'JSON5 is not read, by kubectl neither: convert it to JSON first'

export function isJson5(path: string): boolean {
  return path.endsWith('.json5')
}

/** JSON5 with comments, which YAML takes for keys and values; null for what may be read as YAML. */
export function commentedJson5(path: string, text: string): Problem | null {
  if (!isJson5(path) || !/(?:^|[{[,])[ \t]*\/[/*]/m.test(text)) return null
  const message = 'JSON5 with comments, not a manifest'
  return { code: 'unrendered', severity: 'error', message, fix: JSON5_FIX, at: { file: path } }
}

/** Members of a kustomization that leave the files of its folder what they are. */
const HARMLESS = ['apiVersion', 'kind', 'metadata', 'resources']

/**
 * Why the files of a folder are not read: Kustomize makes objects of them, patches among them. Null for a folder without a
 * kustomization, and for one that only lists resources.
 */
export async function kustomizedFolder(folder: string, names: readonly string[]): Promise<Problem | null> {
  const name = names.find(isKustomization)
  if (name === undefined) return null
  const path = `${folder}/${name}`
  const input = readInputFile(path)
  if ('problem' in input) return null
  const { documents } = await readDocuments(input.source)
  const value = documents[0]?.value
  const members = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (members.every((member) => HARMLESS.includes(member))) return null
  const message = 'Kustomize makes objects of the files in this folder; they are not read'
  return unrendered(path, 'warning', message, `kubectl kustomize ${folder}`)
}

export function isKustomization(name: string): boolean {
  return /^(?:kustomization\.ya?ml|Kustomization)$/.test(name)
}

function unrendered(path: string, severity: Problem['severity'], message: string, command: string): Problem {
  const fix = `render it first, as in: ${command} | kubectl apf … --from -`
  return { code: 'unrendered', severity, message, fix, at: { file: path } }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '.' : path.slice(0, slash) || '/'
}
