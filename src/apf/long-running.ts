/**
 * Requests that kube-apiserver serves outside of APF.
 * Source: kubernetes/apiserver pkg/server/filters/longrunning.go and priority-and-fairness.go, with the verbs and subresources
 * that kube-apiserver sets.
 */
import type { RequestAttributes } from './request.ts'
import type { VersionRules } from './versions.ts'

export const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
/** Non-resource paths below it last as long as they profile. */
export const PROFILING_PATH = '/debug/pprof/'

/** Whether the request may last: a watch, a proxied or streaming one, profiling. `log` counts with and without `follow`. */
export function isLongRunning(request: RequestAttributes): boolean {
  if (request.verb === 'watch' || request.verb === 'proxy') return true
  return request.isResourceRequest
    ? LONG_RUNNING_SUBRESOURCES.has(request.subresource)
    : request.path.startsWith(PROFILING_PATH)
}

/** Whether APF lets the request pass unclassified: no seat, no headers, no metrics. */
export function bypassesFairness(request: RequestAttributes, rules: VersionRules): boolean {
  return isLongRunning(request) && (request.verb !== 'watch' || rules.watchBypassesFairness)
}
