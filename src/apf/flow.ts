/**
 * Flows: what distinguishes them within a FlowSchema, their hash, and the queues they may use.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go (computeFlowDistinguisher, hashFlowID)
 */
import type { FlowSchema, PriorityLevelConfiguration, QueuingConfiguration } from './objects.ts'
import type { Identity, RequestAttributes } from './request.ts'
import { paddedLength, sha256FirstWords } from './sha256.ts'
import { dealHand, type Uint64 } from './shuffle-sharding.ts'
import { writeUtf8 } from './text.ts'

export interface Flow {
  distinguisher: string
  hash: Uint64
  /** Queue numbers in dealing order. */
  hand: number[]
}

/** The queues among which a level's flows are dealt; null where the server computes no flow: exempt, Reject, one queue. */
export function dealtQueues(level: PriorityLevelConfiguration): QueuingConfiguration | null {
  if (level.spec.type !== 'Limited') return null
  const response = level.spec.limited?.limitResponse
  if (response?.type !== 'Queue' || response.queuing === null) return null
  return response.queuing.queues > 1 ? response.queuing : null
}

/** The flow of a request in its schema and level, or null where the level does not tell flows apart. */
export function flowOf(
  schema: FlowSchema,
  level: PriorityLevelConfiguration,
  identity: Identity,
  request: RequestAttributes,
): Flow | null {
  const queuing = dealtQueues(level)
  if (queuing === null) return null
  const distinguisher = flowDistinguisher(schema, identity, request)
  const hash = flowHash(schema.metadata.name, distinguisher)
  return { distinguisher, hash, hand: dealHand(hash, queuing.queues, queuing.handSize) }
}

/** '' makes the whole schema one flow; so does a namespace that the request lacks. */
export function flowDistinguisher(schema: FlowSchema, identity: Identity, request: RequestAttributes): string {
  switch (schema.spec.distinguisherMethod?.type) {
    case 'ByUser':
      return identity.name
    case 'ByNamespace':
      return request.namespace
    default:
      return ''
  }
}

let message = new Uint8Array(1024)

/** First eight bytes, read little-endian, of SHA-256(schema name, a zero byte, distinguisher), all UTF-8. */
export function flowHash(schemaName: string, distinguisher: string): Uint64 {
  const room = paddedLength((schemaName.length + distinguisher.length) * 3 + 1)
  if (room > message.length) message = new Uint8Array(room)
  let length = writeUtf8(schemaName, message, 0)
  message[length++] = 0
  length = writeUtf8(distinguisher, message, length)
  const [first, second] = sha256FirstWords(message, length)
  return { high: swapBytes(second), low: swapBytes(first) }
}

/** A flow hash as contracts print it: an unsigned decimal number. */
export function formatHash(hash: Uint64): string {
  return ((BigInt(hash.high) << 32n) | BigInt(hash.low)).toString()
}

function swapBytes(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
}
