/** What is known of the resources that a server serves by itself, for judging what resource rules name. */
import { editDistance } from '../apf/suggest.ts'
import { builtInResources, type KnownResource } from '../kubectl/resources.ts'

/** Misspellings by more letters are taken for other words. */
const MISSPELT_LETTERS = 2

/** Subresources that RBAC knows and that are asked of kubelets, never of the API server. */
const KUBELET_SUBRESOURCES: readonly string[] = ['metrics', 'stats', 'spec', 'log', 'checkpoint', 'configz', 'healthz']

/** Whether a group is one of the server's own. Its resources are all known; those of others are anybody's guess. */
export function isOwnGroup(group: string): boolean {
  return builtInResources().some((known) => known.group === group)
}

/** The groups that a server serves by itself, '' among them. */
export function ownGroups(): string[] {
  return [...new Set(builtInResources().map(({ group }) => group))]
}

/** The plurals of the server's own resources of a group, those in namespaces or the others. */
export function ownPlurals(group: string, { namespaced }: { namespaced: boolean }): string[] {
  return builtInResources()
    .filter((known) => known.group === group && known.namespaced === namespaced)
    .map(({ resource }) => resource)
}

/** The server's own resources of that plural, in the order in which kubectl prefers their groups. */
export function resourcesNamed(plural: string): KnownResource[] {
  return builtInResources().filter(({ resource }) => resource === plural)
}

/** The resource that a word means which is no plural: a kind, a singular, a short name, in any case. */
export function resourceMeant(word: string): KnownResource | null {
  const lower = word.toLowerCase()
  const candidates = builtInResources()
  return (
    candidates.find(({ resource }) => resource === lower) ??
    candidates.find(({ singular, shortNames }) => singular === lower || shortNames.includes(lower)) ??
    null
  )
}

/** The plural among the resources of these groups that was probably misspelt. */
export function misspeltResource(word: string, groups: readonly string[]): string | null {
  const plurals = builtInResources()
    .filter(({ group }) => groups.includes(group))
    .map(({ resource }) => resource)
  return misspelt(word, plurals)
}

/** The group that was probably meant by a name that is no group: cut short, or misspelt. */
export function groupMeant(word: string): string | null {
  const groups = [...new Set(builtInResources().map(({ group }) => group))].filter((group) => group !== '')
  const lower = word.toLowerCase()
  return (
    groups.find((group) => group === lower) ??
    groups.find((group) => lower !== '' && group.startsWith(`${lower}.`)) ??
    misspelt(word, groups)
  )
}

/** Resources that have a subresource of that name: `pods` for `exec`. */
export function ownersOfSubresource(subresource: string): KnownResource[] {
  return builtInResources().filter(({ subresources }) => subresources.includes(subresource))
}

/** Whether a subresource of nodes is served by kubelets alone. */
export function isKubeletSubresource(resource: string, subresource: string): boolean {
  return resource === 'nodes' && KUBELET_SUBRESOURCES.includes(subresource)
}

/** The candidate from which a word differs by a letter or two. Short words are too near to each other to tell. */
export function misspelt(word: string, candidates: readonly string[]): string | null {
  if (word.length < 4 || word.length > 100) return null
  let best: { candidate: string; distance: number } | null = null
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate)
    const limit = candidate.length < 7 ? 1 : MISSPELT_LETTERS
    if (distance > 0 && distance <= limit && (best === null || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate ?? null
}
