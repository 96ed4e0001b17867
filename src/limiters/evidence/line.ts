/** Attribution of one record of a log, in the order in which forms are the more certain. */
import { type Attribution, attribution } from '../attribution.ts'
import { unattributed } from '../layers/server-429-unattributed.ts'
import { LAYER_ROWS } from '../layers.ts'
import { GENERIC_429, GENERIC_503, genericRequest } from './client-sentences.ts'
import { findIn, type LogRecord } from './log-record.ts'
import { attributeMessage } from './message.ts'
import { aggregationOfResource } from './request-path.ts'

const LINES = LAYER_ROWS.flatMap(({ lines = [] }) => lines)
const SENTENCES = LAYER_ROWS.flatMap(({ sentences = [] }) => sentences)

/** First the forms that are a layer's own, then what kubectl prints, then sentences wherever they stand. */
export function attributeRecord(record: LogRecord): Attribution | null {
  for (const fingerprint of LINES) {
    const found = fingerprint(record, attributeMessage)
    if (found) return found
  }
  const printed = printedByKubectl(record)
  if (printed) return printed
  for (const fingerprint of SENTENCES) {
    const found = fingerprint(record, attributeMessage)
    if (found) return found
  }
  return null
}

const PRINTED = /^(?:.*\s)?Error from server(?: \((\w+)\))?: (.*)/s
const CREATING = /^error when (?:creating|applying patch|deleting|replacing|patching) (?:"[^"]*"|[^:]*): /

/** Source: kubernetes/kubectl pkg/cmd/util/helpers.go (StandardErrorMessage) */
function printedByKubectl(record: LogRecord): Attribution | null {
  const [, reason = '', text] = findIn(record, PRINTED) ?? []
  if (text === undefined) return null
  const message = text.replace(CREATING, '')
  const found = attributeMessage(message, { reason })
  if (found) return found
  const generic = GENERIC_429.exec(message)
  if (generic) return unattributed({ reason: reason || undefined, ...genericRequest(generic) })
  const unavailable = GENERIC_503.exec(message)
  if (unavailable) {
    const request = genericRequest(unavailable)
    const confidence = aggregationOfResource(request.resource) === 'no' ? 'low' : 'high'
    return attribution('aggregated-api', 'unavailable', confidence, { ...request, code: 503 })
  }
  return reason === 'TooManyRequests' ? unattributed({ reason, message }) : null
}
