import { placeOf } from '../../apf/problem.ts'
import { type Webhook, webhooksOf } from '../backends.ts'
import { callbackLevels, callersInWords, type Dependence, dependenceOn } from '../callbacks.ts'
import { ownLevelYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF230',
  name: 'webhook-inversion',
  severity: 'warning',
  summary: 'Requests wait for an admission webhook whose own requests land in a level behind theirs',
  documentation: {
    what:
      'A webhook behind a Service, whose requests to the API server, as far as the ServiceAccounts of its namespace tell, land in a ' +
      'level behind that of requests that it has to admit, or in the very same one. Levels have no rank; those count as behind to ' +
      'which later FlowSchemas lead. A warning where requests surely wait (`failurePolicy: Fail`, no selector but names of ' +
      'namespaces) for another level, or share one of ten seats or fewer; information otherwise.',
    why:
      'A request keeps its seats while its webhook decides. If the webhook asks the API server meanwhile and its level is full, ' +
      'both wait, whatever seats the level of the request has: the level made for nodes or leader election is then no better ' +
      'than the one that the webhook uses. Within one level waiting requests can take every seat that their webhooks need.',
    fix:
      'Give the ServiceAccounts of the webhook a FlowSchema of their own before those of its callers, to a level that little else ' +
      'uses, or leave out what it need not admit, such as kube-system and leases.',
    fails: { defaults: '1.34', yaml: webhookExample() },
    passes: { defaults: '1.34', yaml: `${webhookExample()}---\n${ownLevelYaml('shop-policy', 'webhook', 50)}` },
  },
  *check(context) {
    for (const webhook of webhooksOf(context.evidence.backends)) {
      const dependence = dependenceOn(webhook, context)
      if (dependence !== null) yield finding(webhook, dependence)
    }
  },
})

function finding(webhook: Webhook, { waits, isReal }: Dependence): Finding {
  const { object, name, path, namespace, ignoresFailure, isSelective, timeoutSeconds } = webhook
  const levels = callbackLevels(waits)
  const outcome = ignoresFailure ? 'go on without it' : 'fail'
  const what = isSelective ? 'those that its selectors and conditions leave' : 'they'
  return {
    severity: isReal && !ignoresFailure && !isSelective ? 'warning' : 'info',
    object: null,
    about: { kind: object.kind, name },
    at: placeOf(object.origin, path),
    path: [],
    message: `${object.kind} ${name}: requests of ${callersInWords(waits)} wait for ${webhook.webhook}, whose own requests land in ${levels}`,
    note: `as ServiceAccounts of ${namespace}; while ${levels} is full, ${what} ${outcome} after ${timeoutSeconds} s`,
    ...(isReal && {
      fix: { text: `give the ServiceAccounts of ${namespace} a FlowSchema before these, and a level of their own` },
    }),
  }
}

function webhookExample(): string {
  return `\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: shop-policy
webhooks:
  - name: policy.shop.example
    clientConfig:
      service: {namespace: shop-policy, name: webhook}
    rules:
      - operations: ['*']
        apiGroups: ['*']
        apiVersions: ['*']
        resources: ['*']
    failurePolicy: Fail
    sideEffects: None
    admissionReviewVersions: [v1]
`
}
