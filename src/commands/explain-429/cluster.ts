/** What a cluster adds to a finding, as far as the readers and reporters need it. */
import type { AttributedItem } from '../../analysis/attributions.ts'
import type { AttributionCluster } from '../../report/attributions-contract.ts'

export interface Cluster {
  /** `GROUP/VERSION` of the aggregated APIs; null where they are not known. */
  aggregatedApis: ReadonlySet<string> | null
  /** Null where it adds nothing. */
  of(item: AttributedItem): AttributionCluster | null
}

/** No source was named: none is asked. */
export function withoutCluster(): Cluster {
  return { aggregatedApis: null, of: () => null }
}
