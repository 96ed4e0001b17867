import { breadthOfSubjects } from '../../analysis/breadth.ts'
import type { PriorityLevelConfiguration } from '../../apf/objects.ts'
import { squashOdds } from '../../apf/shuffle-sharding-odds.ts'
import { nameOf } from '../clauses.ts'
import { levelExample, ownQueuingLevels, QUEUING_PATH } from '../level-seats.ts'
import { defineRule, type LintContext } from '../rule.ts'

const FEW_QUEUES = { queues: 8, handSize: 2, queueLengthLimit: 50 }
const SHOP_ACCOUNTS = '{kind: ServiceAccount, serviceAccount: {namespace: shop, name: "*"}}'

export default defineRule({
  id: 'APF306',
  name: 'queue-odds',
  severity: 'info',
  summary: 'Queues so few that heavy flows squash light ones',
  documentation: {
    what:
      'A level whose queues are so few that four heavy flows take every queue of a light one with odds of 10 % or ' +
      'more. Where a single heavy flow does so in 1 % of cases, it is a warning. The odds are those of dealing ' +
      'hands at random, exactly. Hands of one queue and of all queues are another finding (APF305). A level of one flow, ' +
      'that of the only user of its only FlowSchema, has nobody to squash.',
    why:
      'Queues are there so that a flow that floods the level leaves the others a queue of their own. Flows are ' +
      'dealt their hands by a hash: some pair always shares.',
    fix: 'Take more queues; the suggested shape has the odds named beside it.',
    fails: { defaults: '1.34', yaml: levelExample({ queuing: FEW_QUEUES, subjects: [SHOP_ACCOUNTS] }) },
    passes: { defaults: '1.34', yaml: levelExample({}) },
  },
  *check(context) {
    for (const { level, queuing } of ownQueuingLevels(context)) {
      const { queues, handSize } = queuing
      if (handSize === 1 || handSize === queues || isOneFlow(level, context)) continue
      const [byOne, byFour] = [squashOdds(queues, handSize, 1), squashOdds(queues, handSize, 4)]
      if (byOne < ALARMING_ODDS && byFour < LARGE_ODDS) continue
      const better = SHAPES.find((shape) => shape.queues > queues) ?? LARGEST_SHAPE
      yield {
        severity: byOne >= ALARMING_ODDS ? 'warning' : 'info',
        object: level,
        path: QUEUING_PATH,
        message: `${nameOf(level)}: with hands of ${handSize} of ${queues} queues one heavy flow takes all queues of a light one in ${inPercent(byOne)} of cases, four of them in ${inPercent(byFour)}`,
        fix: {
          text: `deal ${better.handSize} of ${better.queues} queues: ${inPercent(squashOdds(better.queues, better.handSize, 4))} with four`,
        },
      }
    }
  },
})

/** Whether one FlowSchema sends requests to the level, which does not tell them apart, or has one user. */
function isOneFlow({ metadata }: PriorityLevelConfiguration, { all }: LintContext): boolean {
  const [schema, ...more] = all.flowSchemas.filter(({ spec }) => spec.priorityLevelConfiguration.name === metadata.name)
  if (schema === undefined || more.length > 0) return false
  const { distinguisherMethod, rules } = schema.spec
  if (distinguisherMethod === null) return true
  return (
    distinguisherMethod.type === 'ByUser' &&
    breadthOfSubjects(rules.flatMap(({ subjects }) => subjects)) === 'one-identity'
  )
}

const ALARMING_ODDS = 0.01
const LARGE_ODDS = 0.1

const LARGEST_SHAPE = { queues: 128, handSize: 6 }
/** Usual ones, the smallest first. */
const SHAPES = [{ queues: 64, handSize: 6 }, LARGEST_SHAPE]

function inPercent(odds: number): string {
  const percent = odds * 100
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toPrecision(2))} %`
}
