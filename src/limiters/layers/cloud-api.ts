/** The control APIs of cloud providers, which controllers call. */
import { type Attribution, attribution } from '../attribution.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const CLOUD_ERROR =
  /\b(ThrottlingException|Client\.RequestLimitExceeded|RequestLimitExceeded|TooManyRequestsException)\b/
const CLOUD_CODE = /\bOperationNotAllowed\b.*\b429\b|\bHTTPStatusCode: 429\b.*\bOperationNotAllowed\b/s
/** The words alone are too common; AWS and Google put their name for the error beside them. */
const CLOUD_RATE =
  /\b(Throttling): Rate exceeded|\b(Rate exceeded)\s+status code: [45]\d\d\b|googleapi: Error 4\d\d: .*\b(rateLimitExceeded)\b/

function cloud(record: LogRecord): Attribution | null {
  const code = findIn(record, CLOUD_ERROR)?.[1] ?? (findIn(record, CLOUD_CODE) ? 'OperationNotAllowed' : null)
  if (code !== null) return attribution('cloud-api', 'cloud-throttle', 'high', { code })
  const rate = findIn(record, CLOUD_RATE)
  return rate && attribution('cloud-api', 'cloud-throttle', 'high', { code: rate[1] ?? rate[2] ?? rate[3] })
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
