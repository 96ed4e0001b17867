/**
 * What client-go says of an answer whose body is no Status.
 * Source: kubernetes/apimachinery pkg/api/errors/errors.go (NewGenericServerResponse)
 */

/** Behind the sentence, where it is known: `(get pods)`, `(post pods.metrics.k8s.io web-0)`. */
const REQUEST = String.raw`(?: \(([a-z]+) ([^\s)]+)(?: [^)]*)?\))?`

export const GENERIC_429 = new RegExp(
  `the server has received too many requests and has asked us to try again later${REQUEST}`,
)
export const GENERIC_503 = new RegExp(`the server is currently unable to handle the request${REQUEST}`)
export const GENERIC_504 = new RegExp(
  `the server was unable to return a response in the time allotted, but may still be processing the request${REQUEST}`,
)

/** Verb and resource of a match. */
export function genericRequest(match: RegExpExecArray): { verb?: string | undefined; resource?: string | undefined } {
  return { verb: match[1], resource: match[2] }
}
