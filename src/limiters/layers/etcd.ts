/**
 * Errors of etcd, which the API server passes on as 500.
 * Source: etcd api/v3rpc/rpctypes/error.go; kubernetes/apiserver pkg/endpoints/handlers/responsewriters/status.go
 */
import { type Attribution, attribution, type Confidence } from '../attribution.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const LAYER = 'etcd'

const REASONS: readonly [text: string, reason: string][] = [
  ['too many requests', 'too-many-requests'],
  ['mvcc: database space exceeded', 'no-space'],
  ['request is too large', 'request-too-large'],
  ['request timed out', 'timeout'],
  ['leader changed', 'timeout'],
  ['no leader', 'timeout'],
]

const ERROR = new RegExp(`etcdserver: (${REASONS.map(([text]) => text).join('|')})`)
const TOO_LARGE_TO_SEND = /rpc error: code = ResourceExhausted desc = trying to send message larger than max/

function byText(text: string, confidence: Confidence): Attribution | null {
  const [, etcdError] = ERROR.exec(text) ?? []
  if (etcdError === undefined) {
    return TOO_LARGE_TO_SEND.test(text) ? attribution(LAYER, 'request-too-large', confidence) : null
  }
  const reason = REASONS.find(([start]) => start === etcdError)?.[1] ?? ''
  const code = /EtcdError\{code:0x([0-9a-f]+)/i.exec(text)?.[1]
  return attribution(LAYER, reason, confidence, {
    etcdError,
    grpcCode: code === undefined ? undefined : Number.parseInt(code, 16),
  })
}

export const etcd: LayerRow = {
  layer: LAYER,
  needles: ['etcdserver: ', 'trying to send message larger than max'],
  messages: [(message) => (/^etcdserver: |^rpc error: /.test(message) ? byText(message, 'certain') : null)],
  sentences: [
    (record) => {
      const found = findIn(record, /apiserver received an error that is not an metav1\.Status: .*/s)
      return found && byText(found[0], 'certain')
    },
    // etcd's name in front of its own words; the API server and its clients repeat them.
    (record) => {
      const found = findIn(record, ERROR)
      return found && byText(found[0], 'high')
    },
  ],
  reasons: {
    'too-many-requests': {
      says: 'etcd refuses writes: more than 5000 entries are committed but not applied; no 429 and not APF',
      proves: 'etcd is overloaded; the API server answers 500',
      advice: "look at etcd's disk (etcd_disk_wal_fsync_duration_seconds) and CPU, and at who writes so much",
    },
    'no-space': {
      throttles: false,
      says: "etcd's database is full: every write fails until it has space again",
      proves: 'the alarm NOSPACE is raised',
      advice: 'compact, defragment, then etcdctl alarm disarm; look for what fills it: events, custom resources',
    },
    timeout: {
      says: 'etcd did not answer in time, or had no leader',
      proves: 'the API server waited for etcd in vain',
      doesNotProve: 'a limit: elections and slow disks look the same',
      advice: "look at etcd's health, its leader changes and the latency of its disks",
    },
    'request-too-large': {
      throttles: false,
      says: 'the object is too large for etcd; no throttling',
      proves: 'etcd refuses this one request, whatever its load',
      advice: 'make the object smaller: about 1.5 MiB is what etcd takes by default',
    },
  },
}
