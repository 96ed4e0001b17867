/** YAML for the examples of rules: a usual FlowSchema or level, but for what the example is about. */

export interface SchemaParts {
  name?: string
  precedence?: number
  level?: string
  /** Null: none. */
  distinguisher?: 'ByUser' | 'ByNamespace' | null
  /** The rules as YAML, not indented. */
  rules: string
}

/** A FlowSchema as YAML. */
export function schemaYaml(parts: SchemaParts): string {
  const { name = 'shop-reports', precedence = 1500, level = 'workload-low', distinguisher = 'ByUser', rules } = parts
  return `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ${name}
spec:
  matchingPrecedence: ${precedence}
  priorityLevelConfiguration:
    name: ${level}
${distinguisher === null ? '' : `  distinguisherMethod:\n    type: ${distinguisher}\n`}  rules:
${rules.replace(/^(?=.)/gm, '    ')}`
}

/** A limited level with queues, as YAML. */
export function levelYaml(name: string): string {
  return `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: ${name}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 20
    lendablePercent: 50
    limitResponse:
      type: Queue
      queuing:
        queues: 64
        handSize: 6
        queueLengthLimit: 50
`
}

/** Rules of a FlowSchema: its subjects, and resource rules or non-resource rules as YAML, not indented. */
export function ruleYaml(subjects: readonly string[], clauses: string): string {
  const list = subjects.map((subject) => `    - ${subject}\n`).join('')
  return `- subjects:\n${list}${clauses.replace(/^(?=.)/gm, '  ')}`
}

/** The account that most examples are about, as a subject. */
export const REPORTER = '{kind: ServiceAccount, serviceAccount: {namespace: shop, name: reporter}}'

/** What one account does, for examples in which it does not matter. */
export const LISTS_OF_PODS = `\
resourceRules:
  - verbs: [list]
    apiGroups: ['']
    resources: [pods]
    namespaces: [shop]
`

/** What a cluster's DNS asks for, and what kube-system-service-accounts takes from it. */
export const LISTS_OF_ENDPOINTS = `\
resourceRules:
  - verbs: [list]
    apiGroups: ['']
    resources: [endpoints]
    namespaces: ['*']
    clusterScope: true
`

/** A FlowSchema that sends everything of one ServiceAccount to a level of its own, with that level. */
export function ownLevelYaml(namespace: string, account: string, precedence: number): string {
  const everything = `\
resourceRules:
  - verbs: ['*']
    apiGroups: ['*']
    resources: ['*']
    clusterScope: true
    namespaces: ['*']
`
  const subject = `{kind: ServiceAccount, serviceAccount: {namespace: ${namespace}, name: ${account}}}`
  const schema = schemaYaml({ name: namespace, precedence, level: namespace, rules: ruleYaml([subject], everything) })
  return `${schema}---\n${levelYaml(namespace)}`
}
