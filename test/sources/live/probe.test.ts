import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../../src/apf/request.ts'
import { requestInfo } from '../../../src/apf/request-info.ts'
import { rulesFor } from '../../../src/apf/versions.ts'
import { impersonationOf } from '../../../src/sources/live/impersonated-subject.ts'
import { probeFor } from '../../../src/sources/live/probe.ts'

const rules = rulesFor({ minor: 37 })

function parsed(method: string, url: string): RequestAttributes {
  const request = requestInfo(method, url)
  if ('refused' in request) throw new Error(request.refused)
  return request
}

describe('the probe for a harmless read', () => {
  it.each([
    ['/api/v1/namespaces/shop/pods?limit=500&continue=x&resourceVersion=7', '/api/v1/namespaces/shop/pods?limit=1'],
    ['/api/v1/pods?watch=1&timeoutSeconds=600', '/api/v1/pods?watch=true&timeoutSeconds=1'],
    ['/api/v1/namespaces/shop/secrets/key', '/api/v1/namespaces/shop/secrets/key'],
    ['/apis/apps/v1/namespaces/shop/deployments/web/scale', '/apis/apps/v1/namespaces/shop/deployments/web/scale'],
    ['/api/v1/namespaces', '/api/v1/namespaces?limit=1'],
    ['/api/v1/namespaces/shop', '/api/v1/namespaces/shop'],
    ['/api/v1/namespaces/shop/status', '/api/v1/namespaces/shop/status'],
    ['/api/v1/pods?fieldSelector=metadata.name%3Dx', '/api/v1/pods?limit=1'],
    ['/api/v1/watch/namespaces/shop/pods', '/api/v1/namespaces/shop/pods?watch=true&timeoutSeconds=1'],
    ['/apis/example.com/v1/widgets/a%20b', '/apis/example.com/v1/widgets/a%20b'],
    ['/apis/example.com/v1/widgets/%ff', '/apis/example.com/v1/widgets/%FF'],
    ['/healthz?verbose', '/healthz'],
    ['/openapi/v3/apis/apps/v1', '/openapi/v3/apis/apps/v1'],
    ['/a%3Fb', '/a%3Fb'],
  ])('GET %s is GET %s', (url, path) => {
    expect(probeFor(parsed('GET', url), rules)).toMatchObject({ path })
  })

  it('asks for metadata only', () => {
    expect(probeFor(parsed('GET', '/api/v1/secrets'), rules)).toMatchObject({
      accept: expect.stringContaining('as=PartialObjectMetadataList'),
    })
    expect(probeFor(parsed('GET', '/api/v1/namespaces/a/secrets/b'), rules)).toMatchObject({
      accept: expect.stringContaining('as=PartialObjectMetadata;'),
    })
  })

  it('needs no version', () => {
    const request = { ...parsed('GET', '/apis/example.com/v3/widgets'), apiVersion: '' }
    expect(probeFor(request, rules)).toMatchObject({ path: '/apis/example.com/v1/widgets?limit=1' })
  })
})

describe('what is never sent', () => {
  it.each([
    ['POST', '/api/v1/namespaces/shop/pods', 'create is no read; only get, list and watch are sent'],
    ['PUT', '/api/v1/namespaces/shop/pods/a', 'update is no read; only get, list and watch are sent'],
    ['PATCH', '/api/v1/namespaces/shop/pods/a', 'patch is no read; only get, list and watch are sent'],
    ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection is no read; only get, list and watch are sent'],
    ['TRACE', '/api/v1/pods', 'it is no read; only get, list and watch are sent'],
    ['GET', '/api/v1/namespaces/shop/pods/a/log', 'APF does not see it, so that no header would tell'],
    ['GET', '/api/v1/namespaces/shop/pods/a/exec', 'APF does not see it, so that no header would tell'],
    ['GET', '/api/v1/nodes/a/proxy/metrics', 'APF does not see it, so that no header would tell'],
    ['GET', '/api/v1/proxy/nodes/a', 'APF does not see it, so that no header would tell'],
    ['GET', '/debug/pprof/heap', 'APF does not see it, so that no header would tell'],
    ['GET', '/debug/pprof', 'what is under /debug is expensive or reveals too much'],
    ['GET', '/debug/api_priority_and_fairness/dump_requests', 'what is under /debug is expensive or reveals too much'],
    ['POST', '/healthz', 'only GET is ever sent'],
    ['HEAD', '/healthz', 'only GET is ever sent'],
    [
      'GET',
      '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/b/console',
      'what virtualmachineinstances/console does when it is read is not known here',
    ],
    ['GET', '/api/v1/watch/namespaces/shop', 'no URL of a plain GET has these attributes'],
    ['GET', '/api/v1/pods//status', 'no URL of a plain GET has these attributes'],
  ])('%s %s', (method, url, reason) => {
    expect(probeFor(parsed(method, url), rules)).toEqual({ notSent: reason })
  })

  it('is a watch of a server whose APF does not see watches', () => {
    expect(probeFor(parsed('GET', '/api/v1/pods?watch=1'), rulesFor({ minor: 21 }))).toEqual({
      notSent: 'APF does not see it, so that no header would tell',
    })
  })

  it('is a get without a name, which would be a list', () => {
    const request = { ...parsed('GET', '/api/v1/namespaces/shop/pods/a'), name: '' }
    expect(probeFor(request, rules)).toEqual({ notSent: 'no URL of a plain GET has these attributes' })
  })
})

describe('the impersonation of an identity', () => {
  const AUTHENTICATED = 'system:authenticated'

  it.each([
    ['a user', 'jane', [AUTHENTICATED], []],
    ['a user with groups', 'jane', ['dev', AUTHENTICATED], ['dev']],
    ['a user whom the server calls unauthenticated', 'jane', ['system:unauthenticated'], ['system:unauthenticated']],
    [
      'a ServiceAccount',
      'system:serviceaccount:a:b',
      ['system:serviceaccounts', 'system:serviceaccounts:a', AUTHENTICATED],
      [],
    ],
    ['a ServiceAccount with other groups', 'system:serviceaccount:a:b', ['dev', AUTHENTICATED], ['dev']],
    ['a ServiceAccount without its groups', 'system:serviceaccount:a:b', [AUTHENTICATED], [AUTHENTICATED]],
    ['a node', 'system:node:n1', ['system:nodes', AUTHENTICATED], ['system:nodes', AUTHENTICATED]],
    ['a node without its group', 'system:node:n1', [AUTHENTICATED], [AUTHENTICATED]],
    ['anonymous', 'system:anonymous', ['system:unauthenticated'], []],
  ])('%s', (_what, name, groups, headers) => {
    expect(impersonationOf({ name, groups }, rules)).toMatchObject({ user: name, groups: headers })
  })

  it.each([
    ['in no group', { name: 'jane', groups: [] }],
    ['in groups but not in system:authenticated', { name: 'jane', groups: ['dev'] }],
    ['whose name no header can carry', { name: 'ja\nne', groups: [AUTHENTICATED] }],
    ['whose name ends with a blank', { name: 'jane ', groups: [AUTHENTICATED] }],
  ])('does not exist for a user %s', (_what, identity) => {
    expect(impersonationOf(identity, rules)).toBeNull()
  })
})
