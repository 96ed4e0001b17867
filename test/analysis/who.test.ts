import { describe, expect, it } from 'vitest'
import { condensedSubjects } from '../../src/analysis/who.ts'
import type { FlowSchema, Subject } from '../../src/apf/objects.ts'

const user = (name: string): Subject => ({ kind: 'User', user: { name }, group: null, serviceAccount: null })
const group = (name: string): Subject => ({ kind: 'Group', user: null, group: { name }, serviceAccount: null })
const sa = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  user: null,
  group: null,
  serviceAccount: { namespace, name },
})

function schemaFor(...rules: Subject[][]): FlowSchema {
  return {
    kind: 'FlowSchema',
    apiVersion: 'v1',
    metadata: { name: 'x', uid: null, generation: null, labels: {}, annotations: {} },
    spec: {
      priorityLevelConfiguration: { name: 'y' },
      matchingPrecedence: 1,
      distinguisherMethod: null,
      rules: rules.map((subjects) => ({ subjects, resourceRules: [], nonResourceRules: [] })),
    },
    status: { conditions: [] },
    origin: null,
  }
}

describe('condensedSubjects', () => {
  it.each<[string, Subject[][]]>([
    ['group system:masters', [[group('system:masters')]]],
    ['everyone', [[group('system:unauthenticated'), group('system:authenticated')]]],
    ['everyone', [[group('system:unauthenticated')], [group('system:authenticated')]]],
    ['everyone', [[user('jane'), group('*')]]],
    ['everyone', [[user('*')]]],
    ['all authenticated', [[group('system:authenticated')]]],
    ['all unauthenticated', [[group('system:unauthenticated')]]],
    [
      'kcm, scheduler, sa kube-system/*',
      [[user('system:kube-controller-manager'), user('system:kube-scheduler'), sa('kube-system', '*')]],
    ],
    ['all ServiceAccounts', [[group('system:serviceaccounts')]]],
    ['sa shop/*', [[group('system:serviceaccounts:shop')], [sa('shop', '*')]]],
    ['sa shop/reporter, user jane', [[sa('shop', 'reporter')], [user('jane'), sa('shop', 'reporter')]]],
    ['user a, user b, user c, user d', [['a', 'b', 'c', 'd'].map(user)]],
    ['user a, user b, user c, 2 more', [['a', 'b', 'c', 'd', 'e'].map(user)]],
    [
      'kcm, sa kube-system/endpoint-controller, 1 more',
      [
        [
          user('system:kube-controller-manager'),
          sa('kube-system', 'endpoint-controller'),
          sa('kube-system', 'endpointslicemirroring-controller'),
        ],
      ],
    ],
    [`user ${'a'.repeat(60)}, 1 more`, [[user('a'.repeat(60)), user('b')]]],
    ['nobody', [[]]],
    ['nobody', []],
    ['unknown kind Robot', [[{ kind: 'Robot', user: null, group: null, serviceAccount: null }]]],
  ])('%s', (words, rules) => expect(condensedSubjects(schemaFor(...rules))).toBe(words))

  it('are all named if asked for', () => {
    const schema = schemaFor(['a', 'b', 'c', 'd', 'e'].map(user))
    expect(condensedSubjects(schema, true)).toBe('user a, user b, user c, user d, user e')
  })
})
