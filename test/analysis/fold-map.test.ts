import { describe, expect, it } from 'vitest'
import { foldMap } from '../../src/analysis/fold-map.ts'
import { subjectMap } from '../../src/analysis/subject-map.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { effectiveConfiguration } from '../../src/apf/order.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { flowSchema, queueLevel, type RuleJson } from '../support/objects.ts'

const BYPASS = {
  level: null,
  flowSchema: null,
  requests: ['exec, attach, portforward, proxy, log, pprof (long-running)'],
}
const PROBES = { level: 'exempt', flowSchema: 'probes (2)', requests: ['get /healthz /livez /readyz'] }

function foldedDefaults(minor: number, name: string, groups: string[]) {
  const rules = rulesFor({ minor })
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  return foldMap(subjectMap(effectiveConfiguration(flowSchemas, priorityLevels, rules), { name, groups }, rules), rules)
}

/** The phrases of one schema with these rules, for everybody. */
function folded(rules: Omit<RuleJson, 'subjects'>): string[] | undefined {
  const version = rulesFor({ minor: 37 })
  const schema = flowSchema({
    metadata: { name: 'ours' },
    spec: {
      priorityLevelConfiguration: { name: 'work' },
      rules: [{ subjects: [{ kind: 'Group', group: { name: '*' } }], ...rules }],
    },
  })
  const configuration = effectiveConfiguration([schema], [queueLevel('work')], version)
  const map = subjectMap(configuration, { name: 'ada', groups: [] }, version)
  return foldMap(map, version).find(({ level }) => level === 'work')?.requests
}

const ANY = ['*']
const PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ANY, clusterScope: false }

describe('the folded map', () => {
  it('of an ordinary ServiceAccount is three lines', () => {
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated']
    expect(foldedDefaults(37, 'system:serviceaccount:shop:reporter', groups)).toEqual([
      PROBES,
      { level: 'workload-low', flowSchema: 'service-accounts (9000)', requests: ['everything else'] },
      BYPASS,
    ])
  })

  it('names the resources of a schema that takes few', () => {
    expect(foldedDefaults(37, 'system:node:n1', ['system:nodes', 'system:authenticated'])).toEqual([
      PROBES,
      {
        level: 'node-high',
        flowSchema: 'system-node-high (400)',
        requests: [
          'any verb on nodes, nodes/status anywhere',
          'any verb on leases.coordination.k8s.io in any namespace',
        ],
      },
      { level: 'system', flowSchema: 'system-nodes (500)', requests: ['everything else'] },
      BYPASS,
    ])
  })

  it('leaves out what an earlier schema takes whole, and says that watches once bypassed', () => {
    expect(foldedDefaults(21, 'system:kube-scheduler', ['system:authenticated'])).toEqual([
      PROBES,
      {
        level: 'leader-election',
        flowSchema: 'system-leader-election (100)',
        requests: [
          'create, get, update configmaps, endpoints in kube-system',
          'create, get, update leases.coordination.k8s.io in any namespace',
        ],
      },
      { level: 'workload-high', flowSchema: 'kube-scheduler (800)', requests: ['everything else'] },
      {
        level: null,
        flowSchema: null,
        requests: ['watch, exec, attach, portforward, proxy, log, pprof (long-running)'],
      },
    ])
  })

  it('says everything where the first schema takes it, and where nothing matches', () => {
    expect(foldedDefaults(37, 'root', ['system:masters'])).toEqual([
      { level: 'exempt', flowSchema: 'exempt (1)', requests: ['everything'] },
      BYPASS,
    ])
    expect(foldedDefaults(37, 'ada', [])).toEqual([
      { level: 'catch-all', flowSchema: 'catch-all (10000)', requests: ['everything'] },
      BYPASS,
    ])
  })

  it.each<[string, Omit<RuleJson, 'subjects'>, string[]]>([
    ['a scope of both', { resourceRules: [{ ...PODS, clusterScope: true }] }, ['get pods anywhere']],
    [
      'no namespace',
      { resourceRules: [{ ...PODS, namespaces: [], clusterScope: true }] },
      ['get pods without a namespace'],
    ],
    [
      'some namespaces',
      { resourceRules: [{ ...PODS, namespaces: ['web', 'shop'], clusterScope: true }] },
      ['get pods in shop, web or without a namespace'],
    ],
    [
      'several groups',
      { resourceRules: [{ ...PODS, apiGroups: ['apps', ''], resources: ['a', 'b/scale'] }] },
      ['get a, a.apps, b.apps/scale, b/scale in any namespace'],
    ],
    ['any group', { resourceRules: [{ ...PODS, apiGroups: ANY }] }, ['get pods of any group in any namespace']],
    [
      'a whole group',
      { resourceRules: [{ ...PODS, apiGroups: ['apps'], resources: ANY }] },
      ['get any resource of apps in any namespace'],
    ],
    [
      'any resource',
      { resourceRules: [{ ...PODS, apiGroups: ANY, resources: ANY }] },
      ['get any resource in any namespace'],
    ],
    [
      'long lists',
      { resourceRules: [{ ...PODS, resources: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }] },
      ['get a, b, c, d, e … and 2 more in any namespace'],
    ],
    [
      'many phrases',
      {
        nonResourceRules: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
          verbs: ['get'],
          nonResourceURLs: [`/${name}`],
        })),
      },
      ['get /a', 'get /b', 'get /c', 'get /d', '… and 2 more'],
    ],
    ['what bypasses', { resourceRules: [{ ...PODS, resources: ['pods/log', 'pods'] }] }, ['get pods in any namespace']],
    ['any path', { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a', '*'] }] }, ['get any path']],
    ['any method', { nonResourceRules: [{ verbs: ANY, nonResourceURLs: ['/a/*'] }] }, ['any method on /a/*']],
    [
      'every resource request',
      {
        resourceRules: [{ verbs: ANY, apiGroups: ANY, resources: ANY, namespaces: ANY, clusterScope: true }, PODS],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
      },
      ['every resource request', 'get /a'],
    ],
    [
      'every request in a namespace',
      { resourceRules: [{ verbs: ANY, apiGroups: ANY, resources: ANY, namespaces: ANY }] },
      ['every request in a namespace'],
    ],
    ['every path', { nonResourceRules: [{ verbs: ANY, nonResourceURLs: ['*'] }] }, ['every non-resource request']],
  ])('words for %s', (_, rules, phrases) => {
    expect(folded(rules)).toEqual(phrases)
  })
})
