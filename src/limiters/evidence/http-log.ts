/**
 * Access log of the API server. APF adds `apf_execution_time` only to requests that it let run, which tells its own
 * refusals from those behind it.
 * Source: kubernetes/apiserver pkg/server/httplog/httplog.go, pkg/server/filters/priority-and-fairness.go
 */
import { type Attribution, attribution, withFields } from '../attribution.ts'
import { unattributed } from '../layers/server-429-unattributed.ts'
import { durationSeconds } from './go-text.ts'
import type { LogRecord } from './log-record.ts'
import { aggregationOf, requestKind } from './request-path.ts'

/**
 * @param isTerminating  the log says that this process no longer accepts requests
 * @param aggregatedApis  `GROUP/VERSION` of the aggregated APIs, where a cluster tells
 */
export function attributeHttpLog(
  { fields }: LogRecord,
  isTerminating: boolean,
  aggregatedApis: ReadonlySet<string> | null,
): Attribution | null {
  if (fields.get('resp') !== '429') return null
  const verb = fields.get('verb') ?? ''
  const uri = fields.get('URI') ?? ''
  const seats = fields.get('apf_iseats')
  return withFields(layerOf(fields, verb, uri, isTerminating, aggregatedApis), {
    verb,
    uri,
    latencySeconds: durationSeconds(fields.get('latency')),
    priorityLevel: fields.get('apf_pl'),
    flowSchema: fields.get('apf_fs'),
    seats: seats === undefined ? undefined : Number(seats),
    code: 429,
    userAgent: fields.get('userAgent') || undefined,
    auditId: fields.get('audit-ID'),
  })
}

function layerOf(
  fields: ReadonlyMap<string, string>,
  verb: string,
  uri: string,
  isTerminating: boolean,
  aggregatedApis: ReadonlySet<string> | null,
): Attribution {
  if (!fields.has('apf_pl')) {
    if (isTerminating) return attribution('server-shutdown', 'retry-after-429', 'high')
    return attribution('max-inflight', 'exceeded', 'low')
  }
  if (!fields.has('apf_execution_time')) return attribution('apf', 'rejected', 'high')
  const kind = requestKind(verb, uri)
  if (kind === 'eviction') return attribution('eviction-pdb', 'budget', 'high')
  if (kind === 'event-write') return attribution('event-rate-limit', 'limit-reached', 'high')
  const aggregation = aggregationOf(uri, aggregatedApis)
  if (aggregation !== 'no') return attribution('aggregated-api', 'backend-429', aggregation === 'yes' ? 'high' : 'low')
  return kind === 'collection' ? attribution('watch-cache', 'initializing', 'low') : unattributed({})
}
