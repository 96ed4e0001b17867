/** A request with its identity in a phrase. */
import { requestPhrase } from '../kubectl/phrase.ts'
import type { RequestLine } from '../regions/witness.ts'
import { requestOfLine } from './request-of-line.ts'

/** `LIST pods in shop by ann`. */
export function linePhrase(line: RequestLine): string {
  return `${requestPhrase(requestOfLine(line))} by ${line.user}`
}
