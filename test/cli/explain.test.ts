import { describe, expect, it } from 'vitest'
import { allTopics, topicsOf } from '../../src/commands/explain/topics.ts'
import { apf } from '../support/cli.ts'
import { violations } from '../support/published-schemas.ts'

const explain = (...words: string[]) => apf(['explain', ...words])

describe('explain', () => {
  it.each([
    ['APF201', /^APF201 dangling\n\nA FlowSchema sends its requests to a priority level that does not exist\./],
    ['apf201', /^APF201 dangling\n/],
    ['seat', /^seat: The unit of concurrency/],
    ['Hand-Size', /^hand: /],
    ['shuffle sharding', /^hand: /],
    ['handSize', /^PriorityLevelConfiguration\.spec\.limited\.limitResponse\.queuing\.handSize\n/],
    ['FlowSchema.spec.rules.resourceRules.namespaces', /Takes: list of namespaces/],
    ['FlowSchema.spec.rules[].resourceRules[].namespaces', /Takes: list of namespaces/],
    ['max-inflight', /^max-inflight: .*\n\nexceeded\n/],
    ['client-rate-limiter/wait', /^client-rate-limiter: /],
  ])('explains %s', async (word, text) => {
    const { code, stdout, stderr } = await explain(word)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(text)
  })

  it('explains every field of an ambiguous name', async () => {
    const { stdout } = await explain('lendablePercent')
    expect(stdout.match(/^PriorityLevelConfiguration\..*$/gm)).toEqual([
      'PriorityLevelConfiguration.spec.limited.lendablePercent',
      'PriorityLevelConfiguration.spec.exempt.lendablePercent',
    ])
  })

  it('lists everything', async () => {
    const { stdout } = await explain('-o', 'name')
    expect(stdout.trim().split('\n')).toEqual(allTopics().map(({ name }) => name))
  })

  it.each([[[]], [['hand']], [['APF201']]])('answers programs about %j as the schema says', async (words) => {
    const { stdout } = await explain(...words, '-o', 'json')
    expect(violations('Explanation', JSON.parse(stdout))).toEqual([])
  })

  it('suggests what was probably meant', async () => {
    const { code, stdout, stderr } = await explain('shuffle-shardng')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('did you mean shuffle-sharding?')
  })

  it('keeps prose within 100 columns', async () => {
    const { stdout } = await explain('exempt')
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })
})

describe('topics', () => {
  const topics = allTopics()

  it.each([
    'spec.rules[0].resourceRules[12].namespaces[1]',
    'FlowSchema.spec.rules[0].resourceRules[0].namespaces',
    'spec.rules[].resourceRules[].namespaces',
    'spec.rules.resourceRules.namespaces',
    'Namespaces',
  ])('are found by the path that a finding has: %s', (word) => {
    expect(topicsOf(word, topics).map(({ name }) => name)).toEqual([
      'FlowSchema.spec.rules[].resourceRules[].namespaces',
    ])
  })

  it('refer to topics that exist', () => {
    const missing = topics.flatMap(({ name, see }) =>
      see.filter((other) => topicsOf(other, topics).length === 0).map((other) => `${name} → ${other}`),
    )
    expect(missing).toEqual([])
  })

  it('have a name each', () => {
    const names = topics.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })
})
