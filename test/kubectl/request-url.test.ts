import { describe, expect, it } from 'vitest'
import { isArgumentProblem } from '../../src/kubectl/note.ts'
import { requestPhrase } from '../../src/kubectl/phrase.ts'
import { requestFromUrl } from '../../src/kubectl/request-url.ts'

function phraseOf(text: string, method?: string): string {
  const answer = requestFromUrl(text, method)
  if (isArgumentProblem(answer)) return answer.problem
  return answer.requests.map(({ attributes }) => requestPhrase(attributes)).join()
}

describe('a request given as URL', () => {
  it.each([
    ['/api/v1/namespaces/shop/pods?limit=500', undefined, 'LIST pods in shop'],
    ['https://10.0.0.1:6443/api/v1/namespaces/shop/pods?watch=true', undefined, 'WATCH pods in shop'],
    ['https://10.0.0.1:6443/api/v1/nodes/n7', 'DELETE', 'DELETE nodes n7'],
    ['http://localhost:8001/healthz', undefined, 'get /healthz'],
  ])('%s with method %s is %s', (text, method, phrase) => {
    expect(phraseOf(text, method)).toBe(phrase)
  })

  it.each([
    [
      'kubectl -v=6 before 1.33',
      'I0102 15:04:05.1 1 round_trippers.go:560] PATCH https://10.0.0.1:6443/api/v1/nodes/n7/status 200 OK in 5 milliseconds',
      'PATCH nodes/status n7',
    ],
    [
      'kubectl -v=6 from 1.33 on',
      'I0102 15:04:05.1 1 round_trippers.go:632] "Response" verb="DELETE" url="https://10.0.0.1:6443/api/v1/namespaces/shop/pods/web-0" status="200 OK"',
      'DELETE pods web-0 in shop',
    ],
    [
      "client-go's own throttling",
      'Waited for 1.2s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1:443/apis/apps/v1/deployments?limit=500',
      'LIST deployments.apps in all namespaces',
    ],
    [
      "the API server's log",
      'I0102 15:04:05.1 1 httplog.go:134] "HTTP" verb="WATCH" URI="/api/v1/services?watch=true" latency="5s"',
      'WATCH services in all namespaces',
    ],
    ['a trace of the wire', 'GET /api/v1/namespaces/shop/pods HTTP/1.1', 'LIST pods in shop'],
    [
      'a proxy in front',
      '10.2.0.7 - - [02/Jan/2025:15:04:05 +0000] "DELETE /api/v1/namespaces/shop/pods/web-0 HTTP/2.0" 200 512',
      'DELETE pods web-0 in shop',
    ],
    [
      'the audit log',
      '{"kind":"Event","auditID":"7","requestURI":"/api/v1/pods?limit=5\\u0026watch=true","verb":"watch","user":{}}',
      'WATCH pods in all namespaces',
    ],
  ])('is found in a line of %s', (_, line, phrase) => {
    expect(phraseOf(line)).toBe(phrase)
  })

  it('takes the given method over that of the line', () => {
    expect(phraseOf('GET https://10.0.0.1:6443/api/v1/nodes/n7', 'PUT')).toBe('UPDATE nodes n7')
  })

  it.each([
    ['"https://10.0.0.1:6443/api/v1/nodes?limit=5"', 'LIST nodes'],
    ["'/api/v1/nodes'", 'LIST nodes'],
    ['  /api/v1/nodes\n', 'LIST nodes'],
    ['/api/v1/nodes HTTP/1.1', 'LIST nodes'],
    ['https://10.0.0.1:6443', 'get (empty path)'],
  ])('%j is read without what stands around it', (text, phrase) => {
    expect(phraseOf(text)).toBe(phrase)
  })

  it.each([
    ['localhost:8001/api/v1/nodes', 'https://localhost:8001/api/v1/nodes'],
    ['10.0.0.1:6443/api/v1/nodes', 'https://10.0.0.1:6443/api/v1/nodes'],
    ['[::1]:6443/api/v1/nodes', 'https://[::1]:6443/api/v1/nodes'],
    ['kubernetes.default.svc/api/v1/nodes', 'https://kubernetes.default.svc/api/v1/nodes'],
  ])('%s lacks its scheme, which is said', (text, whole) => {
    expect(phraseOf(text)).toBe('LIST nodes')
    expect(requestFromUrl(text, undefined)).toMatchObject({
      notes: [{ code: 'assumed-scheme', message: `taken as ${whole}` }],
    })
  })

  it('is the authority alone of a CONNECT', () => {
    expect(phraseOf('localhost:8001', 'CONNECT')).toBe('connect (empty path)')
  })

  it('says what the server would refuse', () => {
    expect(requestFromUrl('api/v1/pods', undefined)).toMatchObject({
      fix: 'give a path such as /api/v1/pods, or a whole URL',
    })
    expect(requestFromUrl('/api/v1/watch', undefined)).toHaveProperty('problem')
  })

  it('points at a prefix that a proxy may strip', () => {
    const answer = requestFromUrl('https://proxy.example/k8s/clusters/c-1/api/v1/pods', undefined)
    expect(answer).toMatchObject({
      requests: [{ attributes: { isResourceRequest: false } }],
      notes: [{ code: 'path-prefix', message: expect.stringContaining('the server sees /api/v1/pods') }],
    })
  })
})
