/** The document of `isolate`. */
import type { SeatsChange, SimulatedMove } from './simulation-contract.ts'

/** The smallest FlowSchema, with its level, that fences one subject in. */
export interface Isolation {
  apiVersion: 'apf.kubectl/v1alpha1'
  kind: 'Isolation'
  /** To be applied in this order. */
  objects: IsolationObject[]
  proof: {
    /** Everything that moves, over all requests and identities; nothing else does. */
    moves: SimulatedMove[]
    seats: SeatsChange[]
    /** What could not be told within the budget, a sentence each: then the moves may not be all. */
    undecided: string[]
  }
  /** What is to be known besides: requests that stay, seats that are assumed. */
  notes: string[]
}

/** As the API takes it. */
export interface IsolationObject {
  apiVersion: string
  kind: string
  metadata: object
  spec: object
}
