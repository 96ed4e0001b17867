import { describe, expect, it } from 'vitest'
import { defaultLandings, SYSTEM_TRAFFIC, systemTrafficAmong } from '../../src/analysis/system-traffic.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { resourceRuleRegion } from '../../src/regions/rules.ts'

/** Schemas by class, as the default objects of a version put them. */
const LANDINGS: Record<string, [number, string[]][]> = {
  'leader-election': [
    [20, ['system-leader-election']],
    [37, ['system-leader-election']],
  ],
  'kube-system-leader-election': [
    [20, ['system-leader-election']],
    [37, ['system-leader-election']],
  ],
  'node-heartbeats': [
    [21, ['system-nodes']],
    [22, ['system-node-high']],
    [37, ['system-node-high']],
  ],
  probes: [
    [22, ['probes']],
    [37, ['probes']],
  ],
  nodes: [[37, ['probes', 'system-node-high', 'system-nodes']]],
  'kube-controller-manager': [
    [23, ['probes', 'system-leader-election', 'kube-controller-manager']],
    [30, ['probes', 'system-leader-election', 'endpoint-controller', 'kube-controller-manager']],
    [37, ['probes', 'system-leader-election', 'kube-controller-manager']],
  ],
  'kube-scheduler': [[37, ['probes', 'system-leader-election', 'kube-scheduler']]],
  'kube-system': [
    [30, ['probes', 'system-leader-election', 'workload-leader-election', 'kube-system-service-accounts']],
    [37, ['probes', 'system-leader-election', 'kube-system-service-accounts']],
  ],
}

describe.each(SYSTEM_TRAFFIC.map((traffic) => ({ name: traffic.name, traffic })))('$name', ({ name, traffic }) => {
  it.each(LANDINGS[name] ?? [])('lands by default on 1.%i in its own schemas', (minor, schemas) => {
    const landings = defaultLandings(traffic, rulesFor({ minor }))
    expect([...new Set(landings.map(({ entry }) => entry.schema.metadata.name))]).toEqual(schemas)
  })
})

it('tells the classes that a request of an identity is in', () => {
  const leases = resourceRuleRegion({
    verbs: ['update'],
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    namespaces: ['*'],
    clusterScope: false,
  })
  const classesOf = (name: string, ...groups: string[]) =>
    systemTrafficAmong({ name, groups }, leases).map((traffic) => traffic.name)
  expect(classesOf('system:kube-scheduler')).toEqual(['leader-election', 'kube-scheduler'])
  expect(classesOf('system:node:a', 'system:nodes')).toEqual(['node-heartbeats', 'nodes'])
  expect(classesOf('system:serviceaccount:kube-system:dns')).toEqual(['kube-system-leader-election', 'kube-system'])
  expect(classesOf('ann', 'dev')).toEqual([])
})
