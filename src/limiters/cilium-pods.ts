/** Pods that start on one node at once, as the limiter of its Cilium agent lets them. */
import type { CiliumParameters } from './cilium.ts'
import { type CiliumCall, playCilium } from './cilium-limiter.ts'

export interface PodStarts {
  /** On an agent that has learned what a call takes, and lets no call pass freely any more. */
  running: CiliumCall[]
  /** On one that has just been started. */
  started: CiliumCall[]
}

/**
 * @param create      of the group endpoint-create
 * @param processing  nanoseconds that the agent works on one pod
 */
export function podStarts(create: CiliumParameters, pods: number, processing: number): PodStarts {
  const requests = Array.from({ length: pods }, () => ({ at: 0, processing, patience: null, handlerCode: null }))
  const learned = Array.from({ length: create.meanOver }, () => processing)
  return {
    running: playCilium(create, requests, { callsBefore: create.skipInitial, processing: learned }),
    started: playCilium(create, requests),
  }
}
