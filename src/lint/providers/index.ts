/** Whose an object is that a provider of clusters maintains. */
import type { ApfObject } from '../../apf/objects.ts'
import { AKS } from './aks.ts'
import { EKS } from './eks.ts'
import { GKE } from './gke.ts'
import { OPENSHIFT } from './openshift.ts'
import type { Provider, ProviderObject } from './provider.ts'

export { AKS_GUARD } from './aks.ts'

export const PROVIDERS: readonly Provider[] = [AKS, EKS, GKE, OPENSHIFT]

/** The object of a provider that has this kind and name; what its spec says is the provider's affair. */
function providerObject(object: ApfObject): { provider: Provider; entry: ProviderObject } | null {
  for (const provider of PROVIDERS) {
    const entry = provider.objects.find(({ kind, name }) => kind === object.kind && name === object.metadata.name)
    if (entry) return { provider, entry }
  }
  return null
}

/** The name of the provider that maintains an object, null for one of nobody known. */
export function providerOf(object: ApfObject): string | null {
  return providerObject(object)?.provider.name ?? null
}
