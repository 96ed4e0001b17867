import { describe, expect, it } from 'vitest'
import type { ReasonCode, TraceStep } from '../../src/apf/explain.ts'
import type { FlowSchema } from '../../src/apf/objects.ts'
import { hiddenLine, passedOver } from '../../src/report/whereis-text.ts'

const schema: FlowSchema = {
  kind: 'FlowSchema',
  apiVersion: 'v1',
  metadata: { name: 'x', uid: null, generation: null, labels: {}, annotations: {} },
  spec: { priorityLevelConfiguration: { name: 'y' }, matchingPrecedence: 1, distinguisherMethod: null, rules: [] },
  status: { conditions: [] },
  origin: null,
}

function steps(count: number, code: ReasonCode): TraceStep[] {
  const because = { code, field: 'spec.rules', message: '' }
  return Array.from({ length: count }, () => ({ schema, builtIn: false, result: 'no-match', because }))
}

describe('the schemas passed over', () => {
  it.each<[string, TraceStep[], number, string]>([
    ['a short list is shown whole', [...steps(12, 'subject'), ...steps(8, 'verb')], 20, ''],
    [
      'of a long one those that came near',
      [...steps(1500, 'subject'), ...steps(3, 'verb'), ...steps(1, 'kind')],
      3,
      '  and 1,501 more whose subjects or kind of request are others (-o wide shows them)\n',
    ],
    [
      'where none came near it is said how many there were',
      [...steps(1500, 'subject'), ...steps(1, 'kind')],
      0,
      '\n  passed over: 1,501, all of them FlowSchemas whose subjects or kind of request are others (-o wide shows them)\n',
    ],
    [
      'more near ones than are shown are not said to be others',
      [...steps(5, 'subject'), ...steps(25, 'verb')],
      20,
      '  and 10 more (-o wide shows them)\n',
    ],
  ])('%s', (_, tried, count, line) => {
    const { shown, hidden } = passedOver(tried, false)
    expect(shown).toHaveLength(count)
    expect(hiddenLine(shown.length, hidden)).toBe(line)
  })

  it('are all there if asked for', () => {
    const { shown, hidden } = passedOver(steps(1500, 'subject'), true)
    expect(shown).toHaveLength(1500)
    expect(hiddenLine(shown.length, hidden)).toBe('')
  })
})
