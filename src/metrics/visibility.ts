/**
 * Which metrics a release shows. A metric is deprecated in some release, hidden later, and removed at last; hidden ones
 * come back with --show-hidden-metrics-for-version.
 * Source: kubernetes/component-base metrics/version.go.
 */

export type Visibility = 'absent' | 'visible' | 'visible-deprecated' | 'hidden' | 'removed'

/** All in minors of Kubernetes. */
interface MetricLife {
  stability: 'STABLE' | 'BETA' | 'ALPHA'
  since: number
  /** The marker may come later than the release that it names. */
  deprecated?: { in: number; markedSince: number }
  removed?: number
}

const LIVES: Readonly<Record<string, MetricLife>> = {
  apiserver_flowcontrol_request_concurrency_limit: life('ALPHA', 20, { in: 30, markedSince: 30 }, 37),
  apiserver_flowcontrol_request_concurrency_in_use: life('ALPHA', 22, { in: 31, markedSince: 31 }, 37),
  apiserver_flowcontrol_nominal_limit_seats: life('BETA', 26),
  apiserver_flowcontrol_lower_limit_seats: life('ALPHA', 26),
  apiserver_flowcontrol_upper_limit_seats: life('ALPHA', 26),
  apiserver_flowcontrol_current_limit_seats: life('ALPHA', 26),
  apiserver_flowcontrol_current_executing_seats: life('BETA', 28),
  apiserver_flowcontrol_demand_seats_smoothed: life('ALPHA', 26),
  apiserver_storage_objects: life('STABLE', 21, { in: 34, markedSince: 35 }),
  apiserver_resource_objects: life('ALPHA', 34),
  apiserver_resource_size_estimate_bytes: life('ALPHA', 34),
  apiserver_dropped_requests_total: life('ALPHA', 20, { in: 24, markedSince: 24 }, 25),
  etcd_object_counts: life('ALPHA', 20, { in: 22, markedSince: 22 }, 25),
}

function life(
  stability: MetricLife['stability'],
  since: number,
  deprecated?: MetricLife['deprecated'],
  removed?: number,
): MetricLife {
  return { stability, since, ...(deprecated && { deprecated }), ...(removed !== undefined && { removed }) }
}

/** Since this minor the stability decides how long a deprecated metric stays in sight. */
const STABILITY_COUNTS_SINCE = 35
const MINORS_IN_SIGHT: Readonly<Record<MetricLife['stability'], number>> = { STABLE: 3, BETA: 1, ALPHA: 0 }

/** Null for a metric that the table does not have. */
export function metricVisibility(metric: string, minor: number, showHidden = false): Visibility | null {
  const found = LIVES[metric]
  if (found === undefined) return null
  const { since, removed, deprecated, stability } = found
  if (minor < since) return 'absent'
  if (removed !== undefined && minor >= removed) return 'removed'
  if (deprecated === undefined || minor < deprecated.markedSince) return 'visible'
  const hidden =
    minor >= STABILITY_COUNTS_SINCE ? minor >= deprecated.in + MINORS_IN_SIGHT[stability] : minor > deprecated.in
  return hidden && !showHidden ? 'hidden' : 'visible-deprecated'
}

/** Why a metric may not be in an exposition of that release, in words; null where it should be there. */
export function whyAbsent(metric: string, minor: number): string | null {
  const since = LIVES[metric]?.since
  switch (metricVisibility(metric, minor)) {
    case 'absent':
      return `${metric} exists since 1.${since}`
    case 'removed':
      return `${metric} was removed in 1.${LIVES[metric]?.removed}`
    case 'hidden':
      return `1.${minor} hides ${metric}`
    default:
      return null
  }
}
