/** Findings of throttling as the contract writes them. */
import type { Account, AttributedItem } from '../analysis/attributions.ts'
import type { AttributionCluster, AttributionItem, AttributionSummary } from './attributions-contract.ts'

/** What was read of the input besides the findings. */
export interface InputRead {
  lines: number
  bytes: number
  malformed: number
  tooLong: number
  /** Files that could not be read, or not to their end. */
  unread: number
}

/** @param cluster  what it adds to the finding; null: nothing */
export function attributionItem(item: AttributedItem, cluster: AttributionCluster | null): AttributionItem {
  const { file, line, layer, reason, confidence, fields, time, client, evidence } = item
  const { proves, doesNotProve, settledBy, advice, command, repeats } = item
  const words = { proves, doesNotProve, settledBy, advice, command }
  return { file, line, layer, reason, confidence, fields, time, client, evidence, ...words, repeats, cluster }
}

/** @param clusterOf  what the cluster adds to a finding */
export function attributionSummary(
  account: Account,
  read: InputRead,
  clusterOf: (item: AttributedItem) => AttributionCluster | null,
): AttributionSummary {
  const { throttled, repeated, clients, levels, overTime } = account
  return {
    lines: read.lines,
    bytes: read.bytes,
    throttled,
    repeated,
    malformed: read.malformed,
    tooLong: read.tooLong,
    groups: account.groups.map(({ layer, reason, confidence, count, first, last, example }) => ({
      layer,
      reason,
      confidence,
      count,
      first,
      last,
      example: attributionItem(example, clusterOf(example)),
    })),
    clients,
    levels,
    overTime,
  }
}
