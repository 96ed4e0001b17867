/** The words of a command line, and the requests they mean. */
import type { RequestAttributes } from '../apf/request.ts'
import type { Note } from './note.ts'

export interface RequestArguments {
  /** An API verb or a command of kubectl. */
  verb: string
  /** RESOURCE[.GROUP][/SUBRESOURCE], several with commas, a path, or what stands there for a command of kubectl. */
  resource?: string | undefined
  name?: string | undefined
  /** Arguments behind NAME. */
  rest?: readonly string[] | undefined
  /** As its own flag. */
  subresource?: string | undefined
  namespace: string | undefined
  allNamespaces: boolean
  /** Taken without `namespace`; `default` where it is absent. */
  assumedNamespace?: AssumedNamespace | undefined
}

export interface AssumedNamespace {
  name: string
  /** Whose it is, for a person: `of context prod`; '' for nobody's. */
  whose: string
}

export interface PlannedRequest {
  attributes: RequestAttributes
  /** Of its URL, without the `?`; absent for a request in words, which leave the options of a list open. */
  query?: string
  /** One phrase: `as typed`, `kubectl get: lists the objects`. */
  purpose: string
  /** The request that the words are about; exactly one of an answer. */
  primary: boolean
}

export interface PlannedRequests {
  requests: PlannedRequest[]
  notes: Note[]
}
