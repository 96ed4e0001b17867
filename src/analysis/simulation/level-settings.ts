/** What a level does otherwise with requests that stay in it, besides its shares and the deck that its hands are dealt from. */
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'

export type LevelSettingChange = { level: string } & (
  | { setting: 'response'; before: string; after: string }
  /** One of them is 1, so that flows begin or cease to be told apart. */
  | { setting: 'queues'; before: number; after: number }
  /** Requests that one queue holds. */
  | { setting: 'queue-length'; before: number; after: number }
  /** Per cent of the nominal seats. */
  | { setting: 'lending'; before: number; after: number }
  /** Per cent of the nominal seats; null: no limit. */
  | { setting: 'borrowing'; before: number | null; after: number | null }
)

/** Of the levels in force before and after, in the order of those after. */
export function levelSettingChanges(
  before: ReadonlyMap<string, PriorityLevelConfiguration>,
  after: ReadonlyMap<string, PriorityLevelConfiguration>,
): LevelSettingChange[] {
  return [...after].flatMap(([name, level]) => {
    const old = before.get(name)
    return old === undefined ? [] : changesOf(name, old, level)
  })
}

function changesOf(
  level: string,
  { spec: old }: PriorityLevelConfiguration,
  { spec: now }: PriorityLevelConfiguration,
): LevelSettingChange[] {
  const changes: LevelSettingChange[] = []
  const lending = { before: lendablePercent(old), after: lendablePercent(now) }
  if (lending.before !== lending.after) changes.push({ level, setting: 'lending', ...lending })
  if (!old.limited || !now.limited) return changes
  const borrowing = { before: old.limited.borrowingLimitPercent, after: now.limited.borrowingLimitPercent }
  if (borrowing.before !== borrowing.after) changes.push({ level, setting: 'borrowing', ...borrowing })
  const [response, answers] = [old.limited.limitResponse, now.limited.limitResponse]
  if (response.type !== answers.type) {
    changes.push({ level, setting: 'response', before: response.type, after: answers.type })
  }
  if (!response.queuing || !answers.queuing) return changes
  const queues = { before: response.queuing.queues, after: answers.queuing.queues }
  if ((queues.before === 1) !== (queues.after === 1)) changes.push({ level, setting: 'queues', ...queues })
  const length = { before: response.queuing.queueLengthLimit, after: answers.queuing.queueLengthLimit }
  if (length.before !== length.after) changes.push({ level, setting: 'queue-length', ...length })
  return changes
}

function lendablePercent({ limited, exempt }: PriorityLevelConfiguration['spec']): number {
  return limited?.lendablePercent ?? exempt?.lendablePercent ?? 0
}

/** Requests of the level are refused where it is full, and were queued. */
export function refusesNow(change: LevelSettingChange): boolean {
  return change.setting === 'response' && change.after === 'Reject'
}
