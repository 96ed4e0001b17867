import type { IdentityFacts } from '../../analysis/reach.ts'
import type { CapacityFlagValues } from '../../cli/capacity.ts'
import type { OutputFlagValues } from '../../cli/print.ts'
import type { ServerFlagValues } from '../../cli/servers.ts'

/** What the flags of `simulate` hold. */
export interface SimulateFlagValues extends ServerFlagValues, CapacityFlagValues, OutputFlagValues {
  filename?: string[] | undefined
  'server-side': boolean
  delete?: string[] | undefined
  patch?: string[] | undefined
  'patch-type'?: 'merge' | 'json' | undefined
  set?: string[] | undefined
  to?: string[] | undefined
  'to-defaults'?: string | undefined
  'to-server-version'?: string | undefined
  identities?: IdentityFacts | undefined
  requests?: string | undefined
  'exit-code': boolean
  'fail-if'?: string[] | undefined
}
