/** What a small cluster answers, in the form of a real server: items of a list do not repeat their type. */
import type { Answer, Asked, Handler } from './stub-server.ts'

export const PF = (schema: string, level: string) => ({
  'X-Kubernetes-Pf-Flowschema-Uid': schema,
  'X-Kubernetes-Pf-Prioritylevel-Uid': level,
})

export function flowSchema(name: string, level: string, extra: object = {}): object {
  return {
    metadata: { name, uid: `uid-${name}`, generation: 1, resourceVersion: '5', ...extra },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: 1000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'system:authenticated' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
    status: { conditions: [] },
  }
}

export function priorityLevel(name: string): object {
  return {
    metadata: { name, uid: `uid-${name}`, generation: 1 },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 10,
        lendablePercent: 0,
        limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
      },
    },
  }
}

export function list(items: readonly object[], metadata: object = { resourceVersion: '100' }): object {
  return { kind: 'List', apiVersion: 'flowcontrol.apiserver.k8s.io/v1', metadata, items }
}

export const VERSION = { major: '1', minor: '37', gitVersion: 'v1.37.2' }
export const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
export const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'

/** The text that the server puts into a refusal. */
export function forbidden(user: string, resource: string): Answer {
  const message = `${resource}.flowcontrol.apiserver.k8s.io is forbidden: User "${user}" cannot list resource "${resource}" in API group "flowcontrol.apiserver.k8s.io" at the cluster scope`
  return {
    status: 403,
    headers: PF('uid-shop', 'uid-shop'),
    body: { kind: 'Status', status: 'Failure', reason: 'Forbidden', message, code: 403 },
  }
}

/** A cluster with one schema and one level, but for the paths that are answered otherwise. */
export function cluster(otherwise: Record<string, Answer | ((asked: Asked) => Answer)> = {}): Handler {
  const answers: Record<string, Answer | ((asked: Asked) => Answer)> = {
    '/version': { body: VERSION, headers: PF('uid-shop', 'uid-shop') },
    [SCHEMAS]: { body: list([flowSchema('shop', 'shop')]), headers: PF('uid-shop', 'uid-shop') },
    [LEVELS]: { body: list([priorityLevel('shop')]), headers: PF('uid-shop', 'uid-shop') },
    ...otherwise,
  }
  return (asked) => {
    const answer = answers[asked.url.split('?', 1)[0] ?? '']
    if (answer === undefined) return { status: 404, body: '404 page not found\n', headers: PF('uid-shop', 'uid-shop') }
    return typeof answer === 'function' ? answer(asked) : answer
  }
}
