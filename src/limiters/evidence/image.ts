/** Images that could not be pulled. */
import { findIn, type LogRecord } from './log-record.ts'

/** Name of the image, as kubelet's words or a field beside them tell it. */
export function imageOf(record: LogRecord): string | undefined {
  return findIn(record, /[Ff]ailed to pull (?:and unpack )?image "([^"]+)"/)?.[1] ?? record.fields.get('image')
}
