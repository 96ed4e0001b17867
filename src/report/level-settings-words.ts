/** Sentences on what levels do otherwise though no request moves. */
import { type LevelSettingChange, refusesNow } from '../analysis/simulation/level-settings.ts'
import { thousands } from '../ui/numbers.ts'

/** Marked with `!` where it is to the disadvantage of the requests; numbers of all levels in one sentence. */
export function settingSentences(changes: readonly LevelSettingChange[]): string[] {
  return [
    ...changes.flatMap(ofOneLevel),
    ...ofAllLevels(changes, 'queue-length', 'A queue holds so many requests', String),
    ...ofAllLevels(changes, 'lending', 'Levels lend of their own seats', percent),
    ...ofAllLevels(changes, 'borrowing', 'Levels borrow, of their own seats, at most', percent),
  ]
}

function ofOneLevel(change: LevelSettingChange): string[] {
  const { level, setting, before, after } = change
  switch (setting) {
    case 'response':
      return refusesNow(change)
        ? [`! ${level} refuses what it has no seats for, instead of queuing it.`]
        : [`${level} queues what it has no seats for, instead of refusing it.`]
    case 'queues':
      return after === 1
        ? [`! ${level} has one queue for all flows, ${thousands(before)} before: none is shielded from another.`]
        : [`${level} has ${thousands(after)} queues for its flows, one before.`]
    default:
      return []
  }
}

function ofAllLevels(
  changes: readonly LevelSettingChange[],
  setting: LevelSettingChange['setting'],
  what: string,
  words: (value: LevelSettingChange['after']) => string,
): string[] {
  const list = changes
    .filter((change) => change.setting === setting)
    .map(({ level, before, after }) => `${level} ${words(after)} (${words(before)} before)`)
  return list.length === 0 ? [] : [`${what}: ${list.join(', ')}.`]
}

function percent(value: LevelSettingChange['after']): string {
  return value === null ? 'any number' : `${value} %`
}
