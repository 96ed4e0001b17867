/** FlowSchemas and levels that providers of clusters put there. They do not count as ours. */
import type { ApfObject } from '../../apf/objects.ts'

export interface Provider {
  /** As in messages: `EKS`. */
  name: string
  objects: readonly ProviderObject[]
  /** What else a provider does about FlowSchemas, a sentence each. */
  notes?: readonly string[]
}

export interface ProviderObject {
  kind: ApfObject['kind']
  name: string
  /** What it is for, in a few words. */
  purpose: string
  /** Whether changes are undone, and how that is stopped where it can be. */
  reconciled: { by: string; unless: Readonly<Record<string, string>> | null }
  /** Whether it may be changed or deleted, in a sentence. */
  change: string
}
