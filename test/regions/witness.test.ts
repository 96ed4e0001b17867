import { describe, expect, it } from 'vitest'
import { rulesFor } from '../../src/apf/versions.ts'
import { EVERY_REQUEST, NO_REQUEST, type Region, subtractRegion } from '../../src/regions/region.ts'
import { bypassRegion, nonResourceRuleRegion, resourceRuleRegion } from '../../src/regions/rules.ts'
import { witness } from '../../src/regions/witness.ts'

const ANY = ['*']
const ANYTHING = { verbs: ANY, apiGroups: ANY, resources: ANY, namespaces: ANY, clusterScope: false }
const WITH_NAMESPACE = resourceRuleRegion(ANYTHING)

/** Short form: verb, resource, namespace; or verb and path. */
function example(region: Region): string | null {
  const line = witness(region, { name: 'ada', groups: ['dev'] })
  if (line === null) return null
  if ('path' in line) return `${line.verb} ${line.path}`
  const { verb, apiGroup, resource, subresource, namespace, name } = line
  const parts = [
    verb,
    `${resource}${apiGroup && `.${apiGroup}`}${subresource && `/${subresource}`}`,
    name,
    namespace && `-n ${namespace}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

describe('the witness', () => {
  it.each<[string, Region, string | null]>([
    ['nothing', NO_REQUEST, null],
    ['everything', EVERY_REQUEST, 'list pods -n default'],
    ['what bypasses', bypassRegion(rulesFor({ minor: 37 })), 'create pods/exec -n default'],
    ['all without a namespace', subtractRegion({ ...EVERY_REQUEST, nonResource: [] }, WITH_NAMESPACE), 'list pods'],
    ['all paths', { ...EVERY_REQUEST, namespaced: [], cluster: [] }, 'get /healthz'],
    ['some namespaces', resourceRuleRegion({ ...ANYTHING, namespaces: ['shop', 'web'] }), 'list pods -n shop'],
    [
      'all but the usual namespaces',
      subtractRegion(
        WITH_NAMESPACE,
        resourceRuleRegion({ ...ANYTHING, namespaces: ['default', 'kube-system', 'example'] }),
      ),
      'list pods -n example-2',
    ],
    [
      'leases',
      resourceRuleRegion({ ...ANYTHING, verbs: ['get', 'update'], resources: ['leases'] }),
      'update leases.coordination.k8s.io -n default',
    ],
    [
      'leases of their group',
      resourceRuleRegion({ ...ANYTHING, apiGroups: ['coordination.k8s.io'], verbs: ['get', 'update'] }),
      'update leases.coordination.k8s.io -n default',
    ],
    [
      'a subresource',
      resourceRuleRegion({ ...ANYTHING, resources: ['widgets/scale'] }),
      'get widgets/scale -n default',
    ],
    [
      'Namespace objects',
      resourceRuleRegion({ ...ANYTHING, resources: ['namespaces'] }),
      'get namespaces default -n default',
    ],
    [
      'an unknown group',
      resourceRuleRegion({ ...ANYTHING, apiGroups: ['example.com'] }),
      'list examples.example.com -n default',
    ],
    ['below a path', nonResourceRuleRegion({ verbs: ['post'], nonResourceURLs: ['/a/*'] }), 'post /a/example'],
    ['a path', nonResourceRuleRegion({ verbs: ANY, nonResourceURLs: ['/a'] }), 'get /a'],
  ])('of %s', (_, region, expected) => {
    expect(example(region)).toBe(expected)
  })

  it('is a complete request line', () => {
    expect(witness(EVERY_REQUEST, { name: 'ada', groups: ['dev'] })).toEqual({
      user: 'ada',
      groups: ['dev'],
      verb: 'list',
      apiGroup: '',
      resource: 'pods',
      subresource: '',
      namespace: 'default',
      name: '',
    })
  })
})
