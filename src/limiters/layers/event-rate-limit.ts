/**
 * The admission plugin EventRateLimit.
 * Source: kubernetes/kubernetes plugin/pkg/admission/eventratelimit/admission.go
 */
import { type Attribution, attribution, type Confidence } from '../attribution.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const LAYER = 'event-rate-limit'

const PREFIX = /Too many requests: (\[)?limit reached on type (?:Server|Namespace|User|SourceAndObject) for key /
const EACH =
  /limit reached on type (Server|Namespace|User|SourceAndObject) for key (.*?)(?=, limit reached on type |$)/gs

/** The limits that a message names. The key of Server is empty, so the blank before it ends the message. */
function limitsIn(message: string): { type: string; key: string }[] {
  const prefix = PREFIX.exec(message)
  if (!prefix) return []
  let list = message.slice(message.indexOf('limit reached on type ', prefix.index))
  if (prefix[1] !== undefined) list = list.replace(/\]$/, '')
  return [...list.matchAll(EACH)].map(([, type = '', key = '']) => ({ type, key }))
}

function reached(message: string, confidence: Confidence): Attribution | null {
  const limits = limitsIn(message)
  return limits.length === 0 ? null : attribution(LAYER, 'limit-reached', confidence, { limits })
}

const UNFIT = /couldn't init admission plugin "EventRateLimit": (.*)/s
const FIELD = /^\[?(limits(?:\[\d+\])?(?:\.\w+)?): /

function configuration(record: LogRecord): Attribution | null {
  const error = findIn(record, UNFIT)?.[1]
  if (error === undefined) return null
  const field = FIELD.exec(error)?.[1]
  return attribution(LAYER, 'config-invalid', 'certain', { field, error })
}

export const eventRateLimit: LayerRow = {
  layer: LAYER,
  needles: ['limit reached on type ', "couldn't init admission plugin"],
  messages: [(message) => (message.startsWith('Too many requests: ') ? reached(message, 'certain') : null)],
  lines: [configuration],
  sentences: [
    (record) => {
      const found = findIn(record, /Too many requests: \[?limit reached on type [^'"\n]*/)
      return found && reached(found[0], 'high')
    },
  ],
  reasons: {
    'limit-reached': {
      says: 'the admission plugin EventRateLimit refused a core Event',
      proves: 'the request passed APF, authentication and authorization; the buckets named are empty',
      doesNotProve:
        'that the named source is the one to blame: an event refused by one limit has still taken tokens of the others',
      advice:
        'silence the source of the events, or raise qps and burst of that limit in the file of --admission-control-config-file; the event is lost, its client does not retry',
      command: 'limits events --config eventconfig.yaml',
    },
    'config-invalid': {
      throttles: false,
      says: 'the API server does not start: the configuration of EventRateLimit is refused',
      proves: 'the plugin is switched on and its configuration does not decode or validate',
      advice:
        'mend the field in the configuration of the plugin (limits[].type, .qps, .burst, .cacheSize), or take EventRateLimit out of --enable-admission-plugins',
      command: 'limits events --config eventconfig.yaml',
    },
  },
}
