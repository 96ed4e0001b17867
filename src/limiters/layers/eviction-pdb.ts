/**
 * Evictions that a PodDisruptionBudget forbids: a 429 that is no throttling.
 * Source: kubernetes/kubernetes pkg/registry/core/pod/storage/eviction.go
 */
import { type Attribution, attribution } from '../attribution.ts'
import { GENERIC_429, genericRequest } from '../evidence/client-sentences.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { StatusView } from '../evidence/status-view.ts'
import type { LayerRow, MessageReader } from '../layer-row.ts'
import { unattributed } from './server-429-unattributed.ts'

const LAYER = 'eviction-pdb'
const SENTENCE = "Cannot evict pod as it would violate the pod's disruption budget."

function refused(message: string, { code, causes }: StatusView): Attribution | null {
  if (message !== SENTENCE || (code !== null && code !== 429)) return null
  const cause = causes.find(({ reason }) => reason === 'DisruptionBudget')?.message
  if (cause === undefined) return attribution(LAYER, 'budget', 'certain')
  const pdb = /^The disruption budget (\S+) /.exec(cause)?.[1]
  if (/still being processed by the server\.$/.test(cause)) {
    return attribution(LAYER, 'budget-not-observed', 'certain', { pdb })
  }
  const syncError = /failed sync: (.*)/s.exec(cause)?.[1]
  if (syncError !== undefined) return attribution(LAYER, 'budget-sync-failed', 'certain', { pdb, syncError })
  const counts = /needs (-?\d+) healthy pods and has (-?\d+) currently$/.exec(cause)
  if (counts) {
    const fields = { pdb, needs: Number(counts[1]), has: Number(counts[2]) }
    return attribution(LAYER, 'budget-exhausted', 'certain', fields)
  }
  const denied = /does not allow evicting pods currently(?: \(([^)]*)\): (.*))?$/s.exec(cause)
  if (!denied) return attribution(LAYER, 'budget', 'certain', { pdb, cause })
  return attribution(LAYER, 'budget-exhausted', 'certain', { pdb, condition: denied[1], conditionMessage: denied[2] })
}

const DRAIN = /error when evicting pods?\/?\s?"([^"]+)"(?: -n "([^"]+)")? \(will retry after (\d+)s\): (.*)/s

/** `kubectl drain` says the same of every 429; what stands behind the colon tells them apart. */
function drained(record: LogRecord, attributeMessage: MessageReader): Attribution | null {
  const [, pod, namespace, retry, rest] = findIn(record, DRAIN) ?? []
  if (rest === undefined) return null
  const about = { pod, namespace, retrySeconds: Number(retry) }
  const found = attributeMessage(rest.trimEnd())
  if (found) return { ...found, fields: { ...attribution(LAYER, '', 'low', about).fields, ...found.fields } }
  const generic = GENERIC_429.exec(rest)
  return generic && unattributed({ ...about, ...genericRequest(generic) })
}

export const evictionPdb: LayerRow = {
  layer: LAYER,
  needles: ['Cannot evict pod', 'error when evicting pod', 'disruption budget'],
  messages: [refused],
  lines: [drained],
  sentences: [(record) => (findIn(record, SENTENCE_ANYWHERE) ? attribution(LAYER, 'budget', 'high') : null)],
  reasons: {
    'budget-exhausted': {
      throttles: false,
      says: 'a PodDisruptionBudget allows no further eviction now; this 429 is no throttling',
      proves: 'the eviction reached its handler: no limiter refused it',
      doesNotProve: 'that it will ever be allowed: a budget that needs as many pods as there are is never met',
      advice:
        'wait for the other pods to be ready, or add replicas, or lower minAvailable (raise maxUnavailable) of the PodDisruptionBudget; needs = has means that it can never be met as it stands',
    },
    'budget-not-observed': {
      throttles: false,
      says: 'the controller has not yet seen the last change of the PodDisruptionBudget; this 429 is no throttling',
      proves: 'the eviction reached its handler; it asks to come back in 10 s, and client-go does so silently',
      doesNotProve: 'that the budget forbids the eviction',
      advice:
        'wait; if it lasts, see whether kube-controller-manager runs (status.observedGeneration of the PodDisruptionBudget)',
    },
    'budget-sync-failed': {
      throttles: false,
      says: 'the controller cannot work out the PodDisruptionBudget, so nothing may be evicted; no throttling',
      proves: 'the eviction reached its handler; the budget has the condition SyncFailed',
      advice:
        'mend what the sync error says: pods need a controller with a scale subresource, or use minAvailable as a number',
    },
    budget: {
      throttles: false,
      says: 'a PodDisruptionBudget forbids the eviction; this 429 is no throttling',
      proves: 'the eviction reached its handler: no limiter refused it',
      doesNotProve: 'why the budget forbids it: the cause stands in details.causes of the answer',
      settledBy: 'kubectl get pdb -n NAMESPACE: ALLOWED DISRUPTIONS, and its conditions',
      advice: 'look at the PodDisruptionBudget of the pod: replicas, minAvailable, maxUnavailable',
    },
  },
}

const SENTENCE_ANYWHERE = /Cannot evict pod as it would violate the pod's disruption budget\./
