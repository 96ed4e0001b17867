/** Sets of identities, exactly: by user name and by the groups they are in or not in. */
import type { StringSet } from './string-set.ts'

/** Identities whose user name is in `users`, who are in every group of `has` and in none of `lacks`. Both sorted by bytes. */
export interface IdentityCube {
  users: StringSet
  has: readonly string[]
  lacks: readonly string[]
}
