/** The control APIs of cloud providers, which controllers call. */
import { type Attribution, attribution } from '../attribution.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const CLOUD_ERROR =
  /\b(ThrottlingException|Client\.RequestLimitExceeded|RequestLimitExceeded|TooManyRequestsException)\b/
const CLOUD_CODE = /\bOperationNotAllowed\b.*\b429\b/s

function cloud(record: LogRecord): Attribution | null {
  const code = findIn(record, CLOUD_ERROR)?.[1] ?? (findIn(record, CLOUD_CODE) ? 'OperationNotAllowed' : null)
  if (code !== null) return attribution('cloud-api', 'cloud-throttle', 'high', { code })
  // The words alone are too common; AWS and Google put their name for the error beside them.
  const rate = findIn(record, /\b(Throttling|rateLimitExceeded): Rate (?:exceeded|Limit Exceeded)/)
  return rate && attribution('cloud-api', 'cloud-throttle', 'high', { code: rate[1] })
}

export const cloudApi: LayerRow = {
  layer: 'cloud-api',
  needles: [
    'ThrottlingException',
    'RequestLimitExceeded',
    'TooManyRequestsException',
    'OperationNotAllowed',
    ': Rate exceeded',
    'rateLimitExceeded',
  ],
  lines: [cloud],
  reasons: {
    'cloud-throttle': {
      says: "the cloud provider's API throttles a controller; it is not the Kubernetes API",
      proves: 'the provider answered with its error for too many calls',
      advice: 'look at the quota of the account, and at how many controllers and clusters share it',
    },
  },
}
