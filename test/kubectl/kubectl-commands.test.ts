import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { kubectlCommands } from '../../src/kubectl/kubectl-commands.ts'
import { isArgumentProblem } from '../../src/kubectl/note.ts'
import { requestPhrase } from '../../src/kubectl/phrase.ts'
import type { PlannedRequest } from '../../src/kubectl/planned-request.ts'
import { requestsFromArguments } from '../../src/kubectl/request-arguments.ts'
// What kubectl 1.32 sent to a server of canned answers whose pods are all in namespace shop. Of the queries only the field
// selector and watch are kept; `leftOut` are the requests that the table leaves out.
import recorded from './kubectl-1.32-requests.json' with { type: 'json' }
import { words } from './words.ts'

function plan(line: string): PlannedRequest[] {
  const answer = requestsFromArguments(words(line))
  if (isArgumentProblem(answer)) throw new Error(`${line}: ${answer.problem}`)
  return answer.requests
}

/** What FlowSchemas can tell apart. */
function matched(request: RequestAttributes): string {
  const { verb, path, apiGroup, resource, subresource, namespace } = request
  return request.isResourceRequest
    ? `${verb} ${resource}.${apiGroup}/${subresource} in ${namespace}`
    : `${verb} ${path}`
}

function parsed(line: string): RequestAttributes {
  const [method = '', url = ''] = line.split(' ')
  const request = requestInfo(method, url)
  if (isRefused(request)) throw new Error(request.refused)
  return request
}

describe.each(recorded)('kubectl $kubectl', ({ asked, requests }) => {
  it('sends nothing that the table lacks', () => {
    const planned = plan(`${asked} -n shop`).map(({ attributes }) => matched(attributes))
    expect(planned).toEqual(expect.arrayContaining(requests.map((line) => matched(parsed(line)))))
  })
})

describe('every row', () => {
  it.each([...kubectlCommands])('of %s is about exactly one of its requests', (_, { requests }) => {
    expect(requests.filter(({ main }) => main)).toHaveLength(1)
  })
})

describe('the requests of a command', () => {
  it.each([
    ['logs web-0 -n shop', 'GET pods/log web-0 in shop'],
    ['logs pods web-0 -n shop', 'GET pods/log web-0 in shop'],
    ['logs deploy/web -n shop', 'GET pods/log in shop'],
    ['logs deployments.apps web -n shop', 'GET pods/log in shop'],
    ['exec sts/db -n shop', 'GET pods/exec in shop'],
    ['drain node/n1', 'CREATE pods/eviction in default'],
    ['scale sts db -n shop', 'PATCH statefulsets.apps/scale db in shop'],
    ['rollout status deploy/web -n shop', 'WATCH deployments.apps web in shop'],
    ['describe pods -A', 'LIST pods in all namespaces'],
    ['describe namespaces shop', 'GET namespaces shop'],
    ['label pods -A', 'PATCH pods in default'],
    ['apply widgets.example.com blue -n shop', 'PATCH widgets.example.com blue in shop'],
    ['top no', 'LIST nodes.metrics.k8s.io'],
    ['debug web-0 -n shop', 'PATCH pods/ephemeralcontainers web-0 in shop'],
    ['debug node/n1 -n shop', 'CREATE pods in shop'],
    ['debug no n1', 'CREATE pods in default'],
    ['cluster-info', 'LIST services in kube-system'],
    ['cluster-info -n shop', 'LIST services in shop'],
    ['cluster-info dump -n shop', 'LIST pods in shop'],
    ['auth reconcile clusterroles admin', 'UPDATE clusterroles.rbac.authorization.k8s.io admin'],
    ['auth can-i list pods', 'CREATE selfsubjectaccessreviews.authorization.k8s.io'],
  ])('%s are about %s', (line, phrase) => {
    const main = plan(line).filter(({ primary }) => primary)
    expect(main.map(({ attributes }) => requestPhrase(attributes))).toEqual([phrase])
  })

  it('say what they are for, and that there are more', () => {
    expect(requestsFromArguments(words('cordon n1'))).toMatchObject({
      requests: [{ purpose: 'kubectl cordon: reads the node' }, { purpose: 'kubectl cordon: sets spec.unschedulable' }],
      notes: [{ code: 'more-requests' }],
    })
  })

  it('read the node and create a pod to debug it', () => {
    const answer = requestsFromArguments(words('debug node/n1'))
    expect(answer).toMatchObject({
      notes: [
        { code: 'default-namespace', message: 'no -n given: taken in namespace default' },
        { code: 'more-requests' },
      ],
    })
    expect(plan('debug node/n1').map(({ attributes }) => requestPhrase(attributes))).toEqual([
      'GET nodes n1',
      'CREATE pods in default',
      'WATCH pods in default',
      'GET pods/attach in default',
    ])
  })

  it('say that pods are evicted in namespaces of their own', () => {
    expect(requestsFromArguments(words('drain n1'))).toMatchObject({
      notes: [
        { code: 'object-namespace', message: 'each object is in a namespace of its own; shown for default' },
        { code: 'more-requests' },
      ],
    })
  })
})
