/** Which limiter is active, as the contract writes it. */
import type { StatusFinding, StatusOfServer } from '../analysis/status.ts'
import type { VersionRules } from '../apf/versions.ts'
import type { InflightLimit } from '../metrics/server-state.ts'
import {
  API_VERSION,
  type Coverage,
  type Finding,
  type ServerFeatures,
  type ServerStatus,
  type Status,
} from './contract.ts'

/** @param served  versions of the flow control API that each server told */
export function statusDocument(
  servers: readonly StatusOfServer[],
  served: readonly (string[] | null)[],
  coverage: Coverage,
  findings: readonly StatusFinding[],
): Status {
  return {
    apiVersion: API_VERSION,
    kind: 'Status',
    servers: servers.map((server, index) => serverDocument(server, served[index] ?? null)),
    coverage,
    findings: findings.map(findingDocument),
  }
}

function serverDocument({ server, limit, rules }: StatusOfServer, served: string[] | null): ServerStatus {
  return {
    name: server.name,
    address: server.address,
    version: server.version,
    mode: server.mode.mode,
    evidence: server.mode.evidence.map(({ what, says, strength }) => ({ what, says, strength })),
    serverConcurrencyLimit: { value: limit.value, source: limit.source },
    readLimit: exactLimit(server.readLimit),
    mutatingLimit: exactLimit(server.mutatingLimit),
    apfVersionsServed: served,
    startedAt: server.startedAt === null ? null : new Date(server.startedAt * 1000).toISOString(),
    features: rules === null ? null : featuresOf(rules, server.featureGates),
  }
}

/** A range is not one number. */
function exactLimit(limit: InflightLimit | null): number | null {
  return limit !== null && 'limit' in limit ? limit.limit : null
}

/** What the gates say counts before what the release has without flags. */
export function featuresOf(rules: VersionRules, gates: ReadonlyMap<string, boolean>): ServerFeatures {
  return {
    borrowing: rules.lendingFields,
    exemptSeats: rules.exemptLevelHasShares,
    zeroShares: rules.zeroSharesValid,
    watchList: gates.get('WatchList') ?? rules.watchList,
    listsCostByObjects: rules.objectCountsReachEstimator,
  }
}

function findingDocument(finding: StatusFinding): Finding {
  const { fix, ...rest } = finding
  return { ...rest, fix: fix === null ? null : { text: fix, edits: [] } }
}
