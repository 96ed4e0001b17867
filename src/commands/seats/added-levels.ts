/** `--add-level 'name=shop,shares=20,lendable=50'`: a level that does not exist yet. */
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'
import { formatFieldPath } from '../../apf/problem.ts'
import { validatePriorityLevel } from '../../apf/validation.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { type CliError, usageError } from '../../cli/errors.ts'

const KEYS = ['name', 'shares', 'lendable', 'borrowing', 'queues', 'handSize', 'queueLength'] as const
type Key = (typeof KEYS)[number]

/** What a created level has where nothing is said. */
const DEFAULTS: Record<Exclude<Key, 'name' | 'borrowing'>, number> = {
  shares: 30,
  lendable: 0,
  queues: 64,
  handSize: 8,
  queueLength: 50,
}

/**
 * The levels that the words describe; `queues=0` is one that refuses instead of queuing.
 * @throws CliError (exit 2) for words that describe no level, or one that a server of this version refuses
 */
export function addedLevels(words: readonly string[], rules: VersionRules): PriorityLevelConfiguration[] {
  const names = new Set<string>()
  return words.map((word) => {
    const level = addedLevel(word, rules)
    const { name } = level.metadata
    if (names.has(name)) throw wrong(word, `${name} is added already`)
    names.add(name)
    const [refused] = validatePriorityLevel(level, rules)
    if (refused !== undefined) throw wrong(word, `${formatFieldPath(refused.path)}: ${refused.message}`)
    return level
  })
}

function addedLevel(word: string, rules: VersionRules): PriorityLevelConfiguration {
  const given = new Map<Key, string>()
  for (const part of word.split(',')) {
    const [name = '', value, ...more] = part.split('=')
    const key = KEYS.find((known) => known === name.trim())
    if (key === undefined || value === undefined || more.length > 0) {
      throw wrong(word, `${JSON.stringify(part)} is none of its parts`)
    }
    if (given.has(key)) throw wrong(word, `${key} stands twice`)
    given.set(key, value.trim())
  }
  const name = given.get('name')
  if (!name) throw wrong(word, 'it has no name')
  if (name === 'exempt') throw wrong(word, 'exempt exists on every server')
  const number = (key: Exclude<Key, 'name'>, fallback: number, most: number): number => {
    const text = given.get(key)
    if (text === undefined) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value <= most) return value
    throw wrong(word, `${key} is no number from 0 to ${most}`)
  }
  const shares = number('shares', DEFAULTS.shares, 2 ** 31 - 1)
  const lendable = number('lendable', DEFAULTS.lendable, 100)
  if (!rules.lendingFields && (given.has('lendable') || given.has('borrowing'))) {
    throw wrong(word, `levels neither lend nor borrow before Kubernetes 1.26`)
  }
  if (shares === 0 && !rules.zeroSharesValid) throw wrong(word, `a server of this version refuses 0 shares`)
  const queues = number('queues', DEFAULTS.queues, 10_000_000)
  if (queues === 0 && (given.has('handSize') || given.has('queueLength'))) {
    throw wrong(word, 'with queues=0 it refuses instead of queuing, so that it has neither handSize nor queueLength')
  }
  return {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'v1',
    metadata: { name, uid: null, generation: null, labels: {}, annotations: {} },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent: lendable,
        borrowingLimitPercent: given.has('borrowing') ? number('borrowing', 0, 2 ** 31 - 1) : null,
        limitResponse:
          queues === 0
            ? { type: 'Reject', queuing: null }
            : {
                type: 'Queue',
                queuing: {
                  queues,
                  handSize: number('handSize', Math.min(DEFAULTS.handSize, queues), queues),
                  queueLengthLimit: number('queueLength', DEFAULTS.queueLength, 2 ** 31 - 1),
                },
              },
      },
      exempt: null,
    },
    origin: null,
  }
}

function wrong(word: string, why: string): CliError {
  const next = `write it as --add-level name=shop,shares=20; the other parts are ${KEYS.slice(2).join(', ')}`
  return usageError(`--add-level ${word} describes no level`, why, next)
}
