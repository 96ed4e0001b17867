/** One row of the version table; see VERSION_TABLE. */
export interface VersionRules {
  minor: number
  /** From 1.28 the exempt level takes part in seat sharing and carries `spec.exempt`. */
  exemptLevelHasShares: boolean
}
