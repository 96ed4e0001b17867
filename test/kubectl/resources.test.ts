import { describe, expect, it } from 'vitest'
import { builtInResources, categoryAll, findResource } from '../../src/kubectl/resources.ts'

const catalog = builtInResources()

describe('the built-in resources', () => {
  it('hold every resource of 1.20 to 1.37 once', () => {
    const keys = catalog.map(({ resource, group }) => `${resource}.${group}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toHaveLength(89)
  })

  it.each([
    ['pods', '', 'Pod', 'v1', true, ['po']],
    ['nodes', '', 'Node', 'v1', false, ['no']],
    ['endpoints', '', 'Endpoints', 'v1', true, ['ep']],
    ['horizontalpodautoscalers', 'autoscaling', 'HorizontalPodAutoscaler', 'v2', true, ['hpa']],
    ['customresourcedefinitions', 'apiextensions.k8s.io', 'CustomResourceDefinition', 'v1', false, ['crd', 'crds']],
    ['leasecandidates', 'coordination.k8s.io', 'LeaseCandidate', 'v1beta1', true, []],
    ['podsecuritypolicies', 'policy', 'PodSecurityPolicy', 'v1beta1', false, ['psp']],
    ['flowschemas', 'flowcontrol.apiserver.k8s.io', 'FlowSchema', 'v1', false, []],
    ['pods', 'metrics.k8s.io', 'PodMetrics', 'v1beta1', true, []],
  ])('describe %s of group "%s"', (resource, group, kind, version, namespaced, shortNames) => {
    const found = catalog.find((candidate) => candidate.resource === resource && candidate.group === group)
    expect(found).toMatchObject({ singular: kind.toLowerCase(), kind, version, namespaced, shortNames })
  })

  it('name the subresources of pods', () => {
    expect(findResource(catalog, 'pods', '')?.subresources).toEqual([
      'attach',
      'binding',
      'ephemeralcontainers',
      'eviction',
      'exec',
      'log',
      'portforward',
      'proxy',
      'resize',
      'status',
    ])
  })

  it('hold every member of the category all', () => {
    for (const member of categoryAll) {
      const [resource = '', group = ''] = member.split('.')
      expect(findResource(catalog, resource, group), member).toBeDefined()
    }
  })
})

describe('finding a resource', () => {
  it.each([
    ['po', undefined, 'pods', ''],
    ['pod', undefined, 'pods', ''],
    ['Pod', undefined, 'pods', ''],
    ['NetworkPolicy', undefined, 'networkpolicies', 'networking.k8s.io'],
    ['events', undefined, 'events', ''],
    ['events', 'events.k8s.io', 'events', 'events.k8s.io'],
    ['ing', undefined, 'ingresses', 'networking.k8s.io'],
    ['ingresses', 'extensions', 'ingresses', 'extensions'],
    ['deploy', 'apps', 'deployments', 'apps'],
    ['lease', 'coordination', 'leases', 'coordination.k8s.io'],
    ['nodes', 'metrics', 'nodes', 'metrics.k8s.io'],
  ])('reads %s in group %s as %s of "%s"', (name, group, resource, foundGroup) => {
    expect(findResource(catalog, name, group)).toMatchObject({ resource, group: foundGroup })
  })

  it.each([
    ['widgets', undefined],
    ['pods', 'apps'],
    ['deployments', ''],
  ])('finds no %s in group %s', (name, group) => {
    expect(findResource(catalog, name, group)).toBeUndefined()
  })
})
