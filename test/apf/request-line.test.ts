import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { formatRequestLine, isMalformed, parseRequestLine, readRequestLine } from '../../src/apf/request-line.ts'

describe('a request line', () => {
  it('with a URL is parsed as the server parses it, GET by default', () =>
    expect(parseRequestLine('{"id":7,"user":"ada","groups":["dev"],"url":"/api/v1/pods?watch"}')).toEqual({
      id: 7,
      identity: { name: 'ada', groups: ['dev'] },
      groupsGiven: true,
      request: requestInfo('GET', '/api/v1/pods?watch'),
    }))

  it('with a URL that the server refuses is no malformed line', () =>
    expect(readRequestLine({ user: 'ada', method: 'POST', url: '/api/v1/watch' })).toMatchObject({
      request: { httpStatus: 500 },
    }))

  it('with a resource is taken as it is', () =>
    expect(
      readRequestLine({ user: 'ada', verb: 'Frob', apiGroup: 'apps', resource: 'deployments', namespace: 'shop' }),
    ).toMatchObject({
      id: null,
      request: {
        isResourceRequest: true,
        path: '',
        verb: 'Frob',
        apiGroup: 'apps',
        resource: 'deployments',
        subresource: '',
        namespace: 'shop',
        name: '',
      },
    }))

  it.each([
    [{ resource: 'pods/log' }, { resource: 'pods', subresource: 'log' }],
    [{ resource: 'pods/log/x' }, { resource: 'pods', subresource: 'log/x' }],
    [
      { resource: 'pods/log', subresource: '' },
      { resource: 'pods/log', subresource: '' },
    ],
    [
      { resource: 'namespaces', name: 'a' },
      { namespace: 'a', name: 'a' },
    ],
    [
      { resource: 'namespaces', namespace: 'b' },
      { namespace: '', name: '' },
    ],
    [
      { resource: 'namespaces/status', name: 'a', namespace: 'b' },
      { namespace: 'a', subresource: 'status' },
    ],
    [{ resource: 'namespaces', apiGroup: 'example.com', name: 'a' }, { namespace: 'a' }],
    [{ resource: '' }, { isResourceRequest: true, resource: '' }],
  ])('%j becomes %j', (keys, attributes) =>
    expect(readRequestLine({ user: 'ada', verb: 'list', ...keys })).toMatchObject({ request: attributes }),
  )

  it('with a path is a non-resource request, never parsed', () =>
    expect(readRequestLine({ user: 'ada', verb: 'GET', path: '/api/v1/pods%2F?x' })).toMatchObject({
      request: { isResourceRequest: false, verb: 'get', path: '/api/v1/pods%2F?x' },
    }))

  it.each([
    [{}, ['system:authenticated'], false],
    [{ groups: null }, ['system:authenticated'], false],
    [{ groups: [] }, [], true],
    [{ groups: ['a', 'a', ''] }, ['a', 'a', ''], true],
  ])('with %j has the groups %j', (keys, groups, groupsGiven) =>
    expect(readRequestLine({ user: 'ada', url: '/', ...keys })).toMatchObject({ identity: { groups }, groupsGiven }),
  )

  it.each([['text'], [{ a: [1] }], [null], [false]])('echoes the id %j', (id) =>
    expect(readRequestLine({ id, user: 'ada', url: '/' })).toMatchObject({ id }),
  )

  it('ignores keys that no form knows', () =>
    expect(readRequestLine({ user: 'ada', url: '/', note: 'x', Verb: 1 })).toMatchObject({ identity: { name: 'ada' } }))

  it('holds U+FFFD for half a surrogate pair, as Go decodes it', () =>
    expect(
      parseRequestLine(String.raw`{"user":"\ud800","groups":["\udcff"],"verb":"\ud83d\ude00","path":"/\udc80"}`),
    ).toMatchObject({
      identity: { name: '\ufffd', groups: ['\ufffd'] },
      request: { verb: '😀', path: '/\ufffd' },
    }))
})

describe('a malformed line', () => {
  it.each([
    ['', 'not JSON'],
    ['{"user":"ada"', 'not JSON'],
    ['[]', 'expected an object, found an array'],
    ['null', 'expected an object, found null'],
    ['"GET /"', 'expected an object, found a string'],
  ])('%j has no id and says: %s', (text, reason) =>
    expect(parseRequestLine(text)).toEqual({ id: null, malformed: reason }),
  )

  it.each([
    [{ url: '/' }, 'user: missing'],
    [{ user: '', url: '/' }, 'user: must not be empty'],
    [{ user: 1, url: '/' }, 'user: expected a string, found a number'],
    [{ user: 'a' }, 'no request: expected url, or verb and resource, or verb and path'],
    [{ user: 'a', verb: 'get', name: 'x' }, 'no request: expected url, or verb and resource, or verb and path'],
    [{ user: 'a', method: 'GET' }, 'no request: expected url, or verb and resource, or verb and path'],
    [{ user: 'a', url: null }, 'url: expected a string, found null'],
    [{ user: 'a', url: '/', method: {} }, 'method: expected a string, found an object'],
    [{ user: 'a', url: '/', groups: 'dev' }, 'groups: expected an array of strings, found a string'],
    [{ user: 'a', url: '/', groups: ['dev', 1] }, 'groups[1]: expected a string, found a number'],
    [{ user: 'a', resource: 'pods' }, 'verb: missing'],
    [{ user: 'a', path: '/' }, 'verb: missing'],
    [{ user: 'a', verb: 'get', resource: ['pods'] }, 'resource: expected a string, found an array'],
    [{ user: 'a', verb: 'get', resource: 'pods', name: true }, 'name: expected a string, found a boolean'],
    [{ user: 'a', verb: 'get', resource: 'pods', subresource: null }, 'subresource: expected a string, found null'],
    [{ user: 'a', verb: 'get', url: '/' }, 'verb: not together with url, which is another form of a request'],
    [{ user: 'a', url: '/', path: '/' }, 'path: not together with url, which is another form of a request'],
    [
      { user: 'a', verb: 'get', path: '/', namespace: 'x' },
      'namespace: not together with path, which is another form of a request',
    ],
    [
      { user: 'a', verb: 'get', resource: 'pods', method: 'GET' },
      'method: not together with resource, which is another form of a request',
    ],
  ])('%j says: %s', (value, reason) =>
    expect(readRequestLine({ id: 'x', ...value })).toEqual({ id: 'x', malformed: reason }),
  )

  it('is all that any text can be, but for good lines', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const line = parseRequestLine(text)
        expect(isMalformed(line) ? line.malformed : line.identity.name).not.toBe('')
      }),
    ))
})

describe('the canonical line of a request', () => {
  it.each([
    [
      '/api/v1/namespaces/shop/pods/a/log',
      { verb: 'get', apiGroup: '', resource: 'pods', subresource: 'log', namespace: 'shop', name: 'a' },
    ],
    [
      '/api/v1/namespaces?fieldSelector=metadata.name%3Dfoo',
      { verb: 'list', apiGroup: '', resource: 'namespaces', subresource: '', namespace: '', name: '' },
    ],
    ['/healthz?verbose', { verb: 'get', path: '/healthz' }],
  ])('%s', (url, line) => {
    const request = requestInfo('GET', url)
    if (isRefused(request)) throw new Error(request.refused)
    expect(formatRequestLine({ name: 'ada', groups: ['dev'] }, request)).toEqual({
      user: 'ada',
      groups: ['dev'],
      ...line,
    })
  })

  it('is read back as a request that APF cannot tell from the first', () => {
    const segment = fc.oneof(
      fc.constantFrom('namespaces', 'watch', 'pods', 'status', 'x'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
    )
    const target = fc
      .tuple(fc.constantFrom('/api/v1', '/apis/apps/v1', '/openapi'), fc.array(segment, { maxLength: 6 }))
      .map(([prefix, segments]) => [prefix, ...segments.map(encodeURIComponent)].join('/'))
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'DELETE', 'FOO'), target, (method, url) => {
        const request = requestInfo(method, url)
        if (isRefused(request)) return
        const identity = { name: 'ada', groups: ['dev'] }
        const line = parseRequestLine(JSON.stringify(formatRequestLine(identity, request)))
        if (isMalformed(line)) throw new Error(line.malformed)
        const { isResourceRequest, verb, apiGroup, namespace, resource, subresource } = request
        const seen = { isResourceRequest, verb, apiGroup, namespace, resource, subresource }
        expect(line.identity).toEqual(identity)
        expect(line.request).toMatchObject(isResourceRequest ? seen : { ...seen, path: request.path })
      }),
    )
  })
})
