import { sharesOf } from '../../apf/seats.ts'
import { nameOf } from '../clauses.ts'
import { levelYaml } from '../examples.ts'
import { ownLimitedLevels } from '../level-seats.ts'
import { defineRule } from '../rule.ts'

const LENDING_DEFAULTS = ['system', 'node-high', 'workload-high', 'workload-low', 'global-default']

export default defineRule({
  id: 'APF311',
  name: 'nobody-lends',
  severity: 'info',
  summary: 'No priority level lends any seats',
  documentation: {
    what: 'All levels have a `lendablePercent` of 0, the default ones included.',
    why: 'Seats that a level does not use stay idle while others refuse requests. Borrowing limits have no effect.',
    fix: 'Set `lendablePercent` for levels that are idle at times; the default objects lend between 0 % and 90 %.',
    fails: { defaults: '1.34', yaml: LENDING_DEFAULTS.map((name) => levelLending(name, 0)).join('---\n') },
    passes: {
      defaults: '1.34',
      yaml: LENDING_DEFAULTS.map((name) => levelLending(name, name === 'workload-low' ? 90 : 0)).join('---\n'),
    },
  },
  since: 26,
  *check(context) {
    const limited = ownLimitedLevels(context)
    const all = [...context.configuration.levels.values()]
    const lends = all.some((level) => sharesOf(level).lendablePercent > 0)
    const [first] = limited
    if (lends || first === undefined) return
    yield {
      object: first.level,
      path: ['spec', 'limited', 'lendablePercent'],
      message: `no priority level lends seats: what ${nameOf(first.level)} and the others do not use stays idle`,
      fix: { text: 'set lendablePercent for levels that are idle at times' },
    }
  },
})

function levelLending(name: string, percent: number): string {
  return levelYaml(name).replace(/lendablePercent: \d+/, `lendablePercent: ${percent}`)
}
