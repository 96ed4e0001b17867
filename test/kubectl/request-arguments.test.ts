import { describe, expect, it } from 'vitest'
import { requestInfo } from '../../src/apf/request-info.ts'
import { isArgumentProblem } from '../../src/kubectl/note.ts'
import { requestPhrase } from '../../src/kubectl/phrase.ts'
import type { PlannedRequests } from '../../src/kubectl/planned-request.ts'
import { requestsFromArguments } from '../../src/kubectl/request-arguments.ts'
import { words } from './words.ts'

function plan(line: string): PlannedRequests {
  const answer = requestsFromArguments(words(line))
  if (isArgumentProblem(answer)) throw new Error(`${line}: ${answer.problem}`)
  return answer
}

const phrases = (line: string) => plan(line).requests.map(({ attributes }) => requestPhrase(attributes))
const noteCodes = (line: string) => plan(line).notes.map(({ code }) => code)

describe('an API verb gives the attributes that its URL gives', () => {
  it.each([
    ['get pods web-0 -n shop', 'GET', '/api/v1/namespaces/shop/pods/web-0'],
    ['get po/log web-0 -n shop', 'GET', '/api/v1/namespaces/shop/pods/web-0/log'],
    ['list pods -n shop', 'GET', '/api/v1/namespaces/shop/pods'],
    ['list pods -A', 'GET', '/api/v1/pods'],
    ['list pods web-0 -A', 'GET', '/api/v1/pods?fieldSelector=metadata.name%3Dweb-0'],
    ['watch pods -n shop', 'GET', '/api/v1/namespaces/shop/pods?watch=true'],
    ['create pods -n shop', 'POST', '/api/v1/namespaces/shop/pods'],
    ['create pods/eviction web-0 -n shop', 'POST', '/api/v1/namespaces/shop/pods/web-0/eviction'],
    ['update deploy/scale web -n shop', 'PUT', '/apis/apps/v1/namespaces/shop/deployments/web/scale'],
    ['patch nodes/status n7', 'PATCH', '/api/v1/nodes/n7/status'],
    ['delete csr old', 'DELETE', '/apis/certificates.k8s.io/v1/certificatesigningrequests/old'],
    ['deletecollection pods -n shop', 'DELETE', '/api/v1/namespaces/shop/pods'],
    ['get namespaces shop', 'GET', '/api/v1/namespaces/shop'],
    ['patch namespaces shop', 'PATCH', '/api/v1/namespaces/shop'],
    ['update namespaces/finalize shop', 'PUT', '/api/v1/namespaces/shop/finalize'],
    ['list namespaces', 'GET', '/api/v1/namespaces'],
    ['list namespaces shop', 'GET', '/api/v1/namespaces?fieldSelector=metadata.name%3Dshop'],
    ['watch namespaces', 'GET', '/api/v1/namespaces?watch=1'],
    ['create namespaces', 'POST', '/api/v1/namespaces'],
    ['create namespaces shop', 'POST', '/api/v1/namespaces'],
    ['deletecollection namespaces', 'DELETE', '/api/v1/namespaces'],
    ['get widgets.v1.example.com blue -n shop', 'GET', '/apis/example.com/v1/namespaces/shop/widgets/blue'],
  ])('%s', (line, method, url) => {
    const [first] = plan(line).requests
    expect(first?.attributes).toEqual({ ...requestInfo(method, url), path: '' })
  })
})

describe('the namespace', () => {
  it.each([
    ['list pods', 'default', ['default-namespace']],
    ['list pods -n shop', 'shop', []],
    ['list pods -A', '', []],
    ['list pods -A -n shop', '', []],
    ['list nodes', '', []],
    ['list nodes -n shop', '', ['ignored-namespace']],
    ['get namespaces shop', 'shop', []],
    ['list widgets.example.com', 'default', ['unknown-resource', 'default-namespace']],
    ['get widgets.example.com blue -A', '', ['unknown-resource']],
  ])('of %s is "%s"', (line, namespace, notes) => {
    expect(plan(line).requests[0]?.attributes.namespace).toBe(namespace)
    expect(noteCodes(line)).toEqual(notes)
  })
})

describe('words that are kubectl as well as API', () => {
  it('answers get without a name as typed and as the list that kubectl sends', () => {
    expect(plan('get pods -n shop').requests).toMatchObject([
      { attributes: { verb: 'get', name: '' }, purpose: 'as typed', primary: true },
      { attributes: { verb: 'list' }, purpose: 'kubectl get: lists the objects', primary: false },
    ])
  })

  it.each([
    ['get pods web-0 -n shop', ['GET pods web-0 in shop']],
    ['get pods/web-0 -n shop', ['GET pods web-0 in shop']],
    ['get pod/a pod/b -n shop', ['GET pods a in shop', 'GET pods b in shop']],
    ['list po,svc -n shop', ['LIST pods in shop', 'LIST services in shop']],
    ['kubectl list pods -n shop', ['LIST pods in shop']],
    [
      'delete pods -n shop',
      ['DELETE pods in shop', 'DELETECOLLECTION pods in shop', 'LIST pods in shop', 'DELETE pods in shop'],
    ],
    ['patch svc web -n shop', ['PATCH services web in shop', 'GET services web in shop']],
    ['create deployment web -n shop', ['CREATE deployments.apps in shop']],
  ])('%s', (line, expected) => {
    expect(phrases(line)).toEqual(expected)
  })

  it('reads get all as one list a resource of the category', () => {
    const answer = plan('get all -n shop')
    expect(phrases('get all -n shop')).toHaveLength(10)
    expect(phrases('get all -n shop').slice(0, 4)).toEqual([
      'LIST pods in shop',
      'LIST replicationcontrollers in shop',
      'LIST services in shop',
      'LIST daemonsets.apps in shop',
    ])
    expect(answer.requests.filter(({ primary }) => primary)).toHaveLength(1)
  })
})

describe('doubts about the words are notes', () => {
  it.each([
    ['LIST pods -n shop', 'list', []],
    ['POST pods -n shop', 'create', ['changed-verb']],
    ['HEAD pods/log web-0 -n shop', 'get', ['changed-verb']],
    ['lsit pods -n shop', 'lsit', ['unknown-verb']],
    ['impersonate nodes', 'impersonate', ['verb-never-sent']],
    ['impersonate:user-info nodes', 'impersonate:user-info', ['verb-never-sent']],
    ['constructor pods -n shop', 'constructor', ['unknown-verb']],
    ['* pods -n shop', '*', ['verb-never-sent']],
    ['create pods web-0 -n shop', 'create', ['ignored-name']],
    ['get pods a b -n shop', 'get', ['extra-arguments']],
  ])('%s has the verb %s', (line, verb, notes) => {
    expect(plan(line).requests[0]?.attributes.verb).toBe(verb)
    expect(noteCodes(line)).toEqual(notes)
  })

  it('names the verb that a typo is near to', () => {
    expect(plan('lsit pods -n shop').notes[0]?.message).toBe(
      'no request has the verb lsit; taken as it is; did you mean list?',
    )
  })
})

describe('a path is parsed as the server parses it', () => {
  it.each([
    ['get /healthz', 'get /healthz', []],
    ['/healthz', 'get /healthz', []],
    ['post /healthz', 'post /healthz', []],
    ['create /api/v1/namespaces/shop/pods', 'CREATE pods in shop', []],
    ['list /api/v1/pods', 'LIST pods in all namespaces', []],
    ['get /api/v1/pods', 'LIST pods in all namespaces', ['changed-verb']],
    ['watch /api/v1/pods', 'LIST pods in all namespaces', ['changed-verb']],
    ['watch /api/v1/pods?watch=true', 'WATCH pods in all namespaces', []],
    ['get https://10.0.0.1:6443/version', 'get /version', []],
    ['get /healthz -n shop', 'get /healthz', ['ignored-namespace']],
  ])('%s', (line, phrase, notes) => {
    expect(phrases(line)).toEqual([phrase])
    expect(noteCodes(line)).toEqual(notes)
  })
})

describe('words without a request are refused', () => {
  it.each([
    ['', 'no verb given'],
    ['get', 'get of what?'],
    ['get pods/', 'nothing stands behind a slash of pods/'],
    ['get pods web-0 -A', 'web-0 is in one namespace, and -A means all of them'],
    ['logs', 'kubectl logs needs a name'],
    ['drain', 'kubectl drain needs a name'],
    ['apply', 'kubectl apply sends its requests by object'],
    ['rollout', 'kubectl rollout needs a subcommand'],
    ['config view', 'kubectl config sends no request'],
    ['completion bash', 'kubectl completion sends no request'],
    ['kubectl plugin list', 'kubectl plugin sends no request'],
    ['kustomize overlays/prod', 'kubectl kustomize sends no request'],
    ['options', 'kubectl options sends no request'],
    ['rollout restart', 'kubectl rollout restart sends its requests by object'],
  ])('%s', (line, problem) => {
    expect(requestsFromArguments(words(line))).toMatchObject({ problem, fix: expect.any(String) })
  })
})
