import { describe, expect, it } from 'vitest'
import { requestFilter } from '../../src/kubectl/request-filter.ts'

const everywhere = { clusterScope: true, namespaces: ['*'] }

describe('requestFilter', () => {
  it.each([
    {
      words: '',
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], ...everywhere }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
    {
      words: 'list',
      resourceRules: [{ verbs: ['list'], apiGroups: ['*'], resources: ['*'], ...everywhere }],
      nonResourceRules: [],
    },
    {
      words: 'list,watch pods,deploy,po/log',
      resourceRules: [
        { verbs: ['list', 'watch'], apiGroups: [''], resources: ['pods', 'pods/log'], ...everywhere },
        { verbs: ['list', 'watch'], apiGroups: ['apps'], resources: ['deployments'], ...everywhere },
      ],
      nonResourceRules: [],
    },
    {
      words: 'LIST nodes',
      resourceRules: [{ verbs: ['list'], apiGroups: [''], resources: ['nodes'], clusterScope: true, namespaces: [] }],
      nonResourceRules: [],
    },
    {
      words: 'get namespaces',
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['namespaces'], ...everywhere }],
      nonResourceRules: [],
    },
    {
      words: 'POST leases.coordination.k8s.io',
      resourceRules: [{ verbs: ['create'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], ...everywhere }],
      nonResourceRules: [],
    },
    {
      words: 'GET /metrics,/debug/*',
      resourceRules: [],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/debug/*'] }],
    },
  ])('reads "$words"', ({ words, resourceRules, nonResourceRules }) => {
    const filter = requestFilter({ words: words.split(' ').filter(Boolean), namespace: undefined })
    expect(filter).toMatchObject({ resourceRules, nonResourceRules })
  })

  it('keeps to one namespace, in which paths and objects of the cluster do not lie', () => {
    const inShop = (...words: string[]) => requestFilter({ words, namespace: 'shop' })
    expect(inShop()).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: false, namespaces: ['shop'] }],
      nonResourceRules: [],
      notes: [],
    })
    expect(inShop('list', 'nodes')).toMatchObject({ problem: 'nodes lie in no namespace' })
    expect(inShop('get', '/metrics')).toMatchObject({ problem: '-n with a path: paths lie in no namespace' })
  })

  it.each([
    ['list pods web-0', 'web-0: FlowSchemas do not tell objects by name'],
    ['lst pods', 'no request on resources has the verb lst'],
    ['list */status', '*/status: FlowSchemas have no patterns for parts of names'],
    ['list pods/*', 'pods/*: FlowSchemas have no patterns for parts of names'],
    ['list po*', 'po*: FlowSchemas have no patterns for parts of names'],
    ['list *.*', '*.*: FlowSchemas have no patterns for parts of names'],
    ['get pods,/metrics', '/metrics beside resources: a rule has one of them'],
    ['get /api/*/pods', '/api/*/pods is no path of a FlowSchema'],
  ])('refuses "%s"', (words, problem) => {
    expect(requestFilter({ words: words.split(' '), namespace: undefined })).toMatchObject({ problem })
  })
})
