/**
 * The recorder of events in client-go, which drops an event that the server refuses.
 * Source: kubernetes/client-go tools/record/event.go (recordEvent)
 */
import { type Attribution, attribution } from '../attribution.ts'
import { GENERIC_429 } from '../evidence/client-sentences.ts'
import { hasMessage, type LogRecord } from '../evidence/log-record.ts'
import type { LayerRow, MessageReader } from '../layer-row.ts'

const LAYER = 'event-recorder'
const UNSTRUCTURED = /Server rejected event '.*': '(.*)' \(will not retry!\)/s
const STRUCTURED = 'Server rejected event (will not retry!)'

function dropped(record: LogRecord, attributeMessage: MessageReader): Attribution | null {
  const words = UNSTRUCTURED.exec(record.message)
  const error = words?.[1] ?? (hasMessage(record, STRUCTURED) ? record.fields.get('err') : undefined)
  if (error === undefined) return null
  const cause = attributeMessage(error)
  // Most refused events are invalid, or of a namespace that is going: no throttling.
  if (cause === null && !GENERIC_429.test(error)) return null
  return attribution(LAYER, 'event-dropped', 'certain', {
    cause: cause?.layer ?? 'server-429-unattributed',
    ...cause?.fields,
    era: words ? 'unstructured' : 'structured',
    severity: record.severity ?? undefined,
  })
}

export const eventRecorder: LayerRow = {
  layer: LAYER,
  needles: ['Server rejected event'],
  lines: [dropped],
  reasons: {
    'event-dropped': {
      says: 'an event is lost: the server refused it, and the recorder does not try again',
      proves: 'the server answered the event with an error; the cause field names the layer behind it',
      advice: 'look at the cause; a program that emits the same event often is better silenced than given more room',
      command: 'limits events --config eventconfig.yaml',
    },
  },
}
