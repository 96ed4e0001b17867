import { placeOf } from '../../apf/problem.ts'
import { type AggregatedApi, aggregatedApisOf } from '../backends.ts'
import { callbackLevels, callersInWords, type Dependence, dependenceOn } from '../callbacks.ts'
import { ownLevelYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF231',
  name: 'aggregated-inversion',
  severity: 'warning',
  summary: 'Requests for an aggregated API wait for a backend whose own requests land in a level behind theirs',
  documentation: {
    what:
      'An APIService with a Service behind it, whose requests to the API server, as far as the ServiceAccounts of its namespace ' +
      'tell, land in a level behind that of requests for its API, or in the very same one. Levels have no rank; those count as ' +
      'behind to which later FlowSchemas lead. A warning for another level, and for a shared one of ten seats or fewer; information ' +
      'otherwise.',
    why:
      'The API server keeps the seats of a request while the backend answers it, and the backend asks the API server who the ' +
      'caller is and whether he may. If there is no seat for these questions, requests of controllers wait with them: that of ' +
      'namespaces and the garbage collector list every API.',
    fix: 'Give the ServiceAccounts of the backend a FlowSchema of their own before those of its callers, to a level that little else uses.',
    fails: { defaults: '1.34', yaml: apiServiceExample() },
    passes: { defaults: '1.34', yaml: `${apiServiceExample()}---\n${ownLevelYaml('shop-metrics', 'adapter', 850)}` },
  },
  *check(context) {
    for (const api of aggregatedApisOf(context.evidence.backends)) {
      const dependence = dependenceOn(api, context)
      if (dependence !== null) yield finding(api, dependence)
    }
  },
})

function finding({ object, name, path, namespace, api }: AggregatedApi, { waits, isReal }: Dependence): Finding {
  const levels = callbackLevels(waits)
  return {
    severity: isReal ? 'warning' : 'info',
    object: null,
    about: { kind: object.kind, name },
    at: placeOf(object.origin, path),
    path: [],
    message: `${object.kind} ${name}: requests of ${callersInWords(waits)} wait for the backend of ${api}, whose own requests land in ${levels}`,
    note: `as ServiceAccounts of ${namespace}: it asks the API server whom it serves, and waits while ${levels} is full`,
    ...(isReal && {
      fix: { text: `give the ServiceAccounts of ${namespace} a FlowSchema before these, and a level of their own` },
    }),
  }
}

function apiServiceExample(): string {
  return `\
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1beta1.custom.metrics.k8s.io
spec:
  group: custom.metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  service: {namespace: shop-metrics, name: adapter}
`
}
