import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'

const LIST_PODS = '/api/v1/namespaces/shop/pods?limit=500'

describe('a target that the HTTP server refuses', () => {
  it.each([
    ['GET', '', 'the empty target'],
    ['GET', 'api/v1/pods', 'neither a path nor an absolute URL'],
    ['GET', '10.0.0.1:6443/api/v1/pods', 'neither a path nor an absolute URL'],
    ['GET', '?watch=1', 'neither a path nor an absolute URL'],
    ['GET', '*?', 'neither a path nor an absolute URL'],
    ['GET', ':/api/v1/pods', 'neither a path nor an absolute URL'],
    ['GET', '/api/v1/pods\t', 'a control character'],
    ['GET', '/api/v1/pods?x=\u007f', 'a control character'],
    ['GET', '/api/v1/%', 'a bad percent escape in the path'],
    ['GET', '/api/v1/%4', 'a bad percent escape in the path'],
    ['GET', 'https://x/api/v1/%4x', 'a bad percent escape in the path'],
    ['GET', 'https://x:port/api/v1/pods', 'invalid port'],
    ['GET', 'https://a:1:2/api/v1/pods', 'invalid port'],
    ['GET', 'https://a b/api/v1/pods', 'invalid host'],
    ['GET', 'https://a#b/api/v1/pods', 'invalid host'],
    ['GET', 'https://%41/api/v1/pods', 'invalid host'],
    ['GET', 'https://us er@x/api/v1/pods', 'invalid user information'],
    ['GET', 'https://[::1/api/v1/pods', 'missing ] in host'],
    ['GET', 'https://[1.2.3.4]/api/v1/pods', 'invalid IP literal'],
    ['GET', 'https://[::1%25]/api/v1/pods', 'invalid IP literal'],
    ['GET', 'https://[1:2:3:4:5:6:7::8:9]/api/v1/pods', 'invalid IP literal'],
    ['GET', 'https://a[::1]/api/v1/pods', 'invalid IP literal'],
    ['CONNECT', 'x:port', 'invalid port'],
  ])('%s %j is answered 400', (method, target, reason) =>
    expect(requestInfo(method, target)).toEqual({
      refused: `the server cannot read the request target: ${reason}`,
      httpStatus: 400,
    }),
  )

  it.each(['', 'GET POST', 'GÉT', 'G(T'])('method %j is answered 400', (method) =>
    expect(requestInfo(method, '/version')).toEqual({ refused: 'the method is no HTTP token', httpStatus: 400 }),
  )
})

describe('the asterisk as target', () => {
  it('is answered by the HTTP server itself where the method is OPTIONS', () =>
    expect(requestInfo('OPTIONS', '*')).toEqual({
      refused: 'the HTTP server answers OPTIONS * by itself',
      httpStatus: 200,
    }))

  it.each([
    ['GET', '*', { verb: 'get', path: '*' }],
    ['options', '*', { verb: 'options', path: '*' }],
    ['OPTIONS', '/*', { verb: 'options', path: '/*' }],
  ])('is a path otherwise: %s %s', (method, target, request) =>
    expect(requestInfo(method, target)).toMatchObject(request),
  )
})

describe('a path that ends with a legacy verb', () => {
  it.each(['/api/v1/watch', '/api/v1/proxy/', '//apis/apps/v1/watch//', '/api/v1/watch?watch=1'])(
    '%s is answered 500, whatever the method',
    (target) => {
      expect(requestInfo('GET', target)).toMatchObject({ httpStatus: 500 })
      expect(requestInfo('FOO', target)).toMatchObject({ httpStatus: 500 })
    },
  )
})

describe('an absolute URL', () => {
  it.each([
    'https://10.96.0.1:443',
    'HTTPS://kubernetes.default.svc',
    'http://user:pass@word@x',
    'https://[fe80::1]:6443',
    'https://[::ffff:10.0.0.1]',
    'https://[fe80::1%25eth%200]',
    'https://a%C3%A9:',
    'https://',
    'https:',
    'coap+tcp.x-1://a:b:80',
  ])('%s is as good as the path behind it', (origin) =>
    expect(requestInfo('GET', origin + LIST_PODS)).toEqual(requestInfo('GET', LIST_PODS)),
  )

  it.each([
    ['https://x', ''],
    ['https://x?watch=1', ''],
    ['https:', ''],
    ['localhost:6443/api/v1/pods', ''],
    ['https:///version', '/version'],
    ['https:/version', '/version'],
    ['https://x//version', '//version'],
  ])('%s has the path %j', (target, path) =>
    expect(requestInfo('GET', target)).toMatchObject({ isResourceRequest: false, path, verb: 'get' }),
  )
})

describe('the authority of a CONNECT', () => {
  it.each([
    ['x:443', ''],
    ['', ''],
    ['*', ''],
    ['x:443/version', '/version'],
    ['https://x/version', '//x/version'],
  ])('%j has the path %j', (target, path) =>
    expect(requestInfo('CONNECT', target)).toMatchObject({ isResourceRequest: false, path, verb: 'connect' }),
  )

  it('may be followed by a resource path', () =>
    expect(requestInfo('CONNECT', 'x:443/api/v1/pods')).toMatchObject({ resource: 'pods', verb: '' }))
})

describe('a percent escape', () => {
  it.each([
    ['/api/v1/pods/%C3%A9', 'é'],
    ['/api/v1/pods/%F0%9F%98%80', '😀'],
    ['/api/v1/pods/é%20+', 'é +'],
    ['/api/v1/pods/%25%32%46', '%2F'],
    ['/api/v1/pods/%00', '\0'],
  ])('%s is decoded once to the name %j', (target, name) => expect(requestInfo('GET', target)).toMatchObject({ name }))

  it.each([
    ['%ff', '\udcff'],
    ['%C3', '\udcc3'],
    ['%C0%AF', '\udcc0\udcaf'],
    ['%ED%A0%80', '\udced\udca0\udc80'],
    ['%F4%90%80%80', '\udcf4\udc90\udc80\udc80'],
    ['x%E2%82é', 'x\udce2\udc82é'],
  ])('%s, no UTF-8, is kept byte for byte', (escaped, name) =>
    expect(requestInfo('GET', `/api/v1/pods/${escaped}`)).toMatchObject({ name, path: `/api/v1/pods/${name}` }),
  )
})

describe('odd paths', () => {
  it.each([
    ['/api/v1/namespaces/a/namespaces/b', { namespace: 'a', resource: 'namespaces', name: 'b' }],
    ['/api/v1/namespaces/a/finalize/b/c', { namespace: 'a', resource: 'namespaces', subresource: 'finalize' }],
    ['/api/v1/namespaces//', { namespace: '', resource: 'namespaces', name: '', verb: 'list' }],
    ['/api/v1/namespaces//status', { namespace: '', resource: 'namespaces', name: '', subresource: 'status' }],
    ['/api/v1/namespaces/a//b', { namespace: 'a', resource: '', name: 'b', verb: 'get' }],
    ['/apis//v1/pods', { apiGroup: '', apiVersion: 'v1', resource: 'pods', verb: 'list' }],
    ['/apis/a/b/c', { apiGroup: 'a', apiVersion: 'b', resource: 'c' }],
    ['/api/v1/watch/watch', { verb: 'watch', resource: 'watch' }],
    ['/api/v1/watchx', { verb: 'list', resource: 'watchx' }],
    ['/api/v1//watch', { verb: 'get', resource: '', name: 'watch' }],
    ['/api/v1/namespace/a/pods', { resource: 'namespace', name: 'a', subresource: 'pods', namespace: '' }],
    ['/api/v1/pods?watch#x', { resource: 'pods', verb: 'list' }],
    ['/api/v1/pods/?', { resource: 'pods', verb: 'list' }],
  ] as [string, Partial<RequestAttributes>][])('%s', (target, attributes) => {
    expect(requestInfo('GET', target)).toMatchObject({ isResourceRequest: true, ...attributes })
  })
})

describe('every request', () => {
  const method = fc.oneof(fc.constantFrom('GET', 'POST', 'DELETE', 'CONNECT', 'get'), fc.string())
  const segment = fc.oneof(
    fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'watch', 'proxy', 'status', '', '%2F', '?watch', ':', '@', '['),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const path = fc.array(segment, { maxLength: 9 }).map((segments) => `/${segments.join('/')}`)

  it('is parsed or refused, never a crash', () =>
    fc.assert(
      fc.property(method, fc.oneof(path, fc.string({ unit: 'binary' }), fc.webUrl()), (method, target) => {
        const request = requestInfo(method, target)
        if (isRefused(request)) expect([400, 500]).toContain(request.httpStatus)
        else expect(typeof request.verb).toBe('string')
      }),
    ))

  it('for a resource ends with its parts', () =>
    fc.assert(
      fc.property(path, (target) => {
        const request = requestInfo('PUT', target)
        if (isRefused(request) || !request.isResourceRequest) return
        expect(request.path.replace(/\/+$/, '').endsWith(`/${request.parts.join('/')}`)).toBe(true)
        expect(request.parts[0]).toBe(request.resource)
      }),
    ))
})
