/** Own limited levels with the seats that they have, for the rules about capacity. */
import type { LimitedSpec, PriorityLevelConfiguration, QueuingConfiguration } from '../apf/objects.ts'
import { type LevelSeats, levelSeats } from '../apf/seats.ts'
import { LISTS_OF_PODS, REPORTER, ruleYaml, schemaYaml } from './examples.ts'
import type { LintContext } from './rule.ts'

export interface LimitedLevel {
  level: PriorityLevelConfiguration
  limited: LimitedSpec
  /** Of one API server. */
  seats: LevelSeats
}

/** Those that are in force; malformed ones have other findings. */
export function ownLimitedLevels({ own, configuration, serverSeats, rules }: LintContext): LimitedLevel[] {
  const owned = new Set(own.priorityLevels)
  const levels = [...configuration.levels.values()]
  if (!levels.some((level) => owned.has(level))) return []
  const byName = new Map(levelSeats(levels, serverSeats.value, rules).map((seats) => [seats.name, seats]))
  return levels.flatMap((level) => {
    const seats = byName.get(level.metadata.name)
    const { limited } = level.spec
    return seats && limited && owned.has(level) ? [{ level, limited, seats }] : []
  })
}

export interface QueuingLevel extends LimitedLevel {
  queuing: QueuingConfiguration
}

/** Those that queue; the others refuse at once. */
export function ownQueuingLevels(context: LintContext): QueuingLevel[] {
  return ownLimitedLevels(context).flatMap((level) => {
    const { queuing } = level.limited.limitResponse
    return queuing === null ? [] : [{ ...level, queuing }]
  })
}

export const QUEUING_PATH = ['spec', 'limited', 'limitResponse', 'queuing'] as const
export const SHARES_PATH = ['spec', 'limited', 'nominalConcurrencyShares'] as const

/** `3 of 600 seats`, and whether anybody said that there are so many. */
export function seatsOfServer(nominal: number, { serverSeats: { value, assumed } }: LintContext): string {
  return `${nominal} of ${assumed ? 'assumed ' : ''}${value} seats`
}

export interface LevelParts {
  shares?: number
  lendable?: number
  /** Null: no limit. */
  borrowing?: number | null
  /** Null: it refuses instead of queuing. */
  queuing?: QueuingConfiguration | null
  /** Of the schema that uses it. */
  subjects?: readonly string[]
}

/** YAML of a level and a schema that uses it, for the examples of rules. */
export function levelExample({
  shares = 20,
  lendable = 50,
  borrowing = null,
  queuing = { queues: 64, handSize: 6, queueLengthLimit: 50 },
  subjects = [REPORTER],
}: LevelParts): string {
  const response =
    queuing === null
      ? '      type: Reject\n'
      : `      type: Queue
      queuing:
        queues: ${queuing.queues}
        handSize: ${queuing.handSize}
        queueLengthLimit: ${queuing.queueLengthLimit}
`
  return `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: shop-reports
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: ${shares}
    lendablePercent: ${lendable}
${borrowing === null ? '' : `    borrowingLimitPercent: ${borrowing}\n`}    limitResponse:
${response}---
${schemaYaml({ level: 'shop-reports', rules: ruleYaml(subjects, LISTS_OF_PODS) })}`
}
