import { misspelt } from '../../analysis/resource-facts.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, SERVICE_ACCOUNT_PREFIX, serviceAccountOf } from '../../apf/identity.ts'
import { WILDCARD } from '../../apf/match.ts'
import { isDnsLabel, isDnsSubdomain } from '../../apf/names.ts'
import type { FlowSchema } from '../../apf/objects.ts'
import type { Severity } from '../../apf/problem.ts'
import { nameOf, type SubjectClause, subjectClauses } from '../clauses.ts'
import { LISTS_OF_PODS, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF212',
  name: 'subject-name',
  severity: 'warning',
  summary: 'A subject names a user or group that nobody is or is in',
  documentation: {
    what:
      'Subjects that mix up users, groups and ServiceAccounts: a user called `shop/reporter` or `system:serviceaccount:shop:*`, a ' +
      'group called `system:serviceaccount:shop:reporter`, a user called `system:nodes`; patterns such as `ann*`, which are compared ' +
      'as they stand; and names of Kubernetes that are misspelt (`system:serviceaccount`, `system:node`, `kube-scheduler`). A user ' +
      '`shop:reporter` is found where shop is a namespace that the objects name.',
    why: 'The server compares names letter by letter and accepts any. Nobody has the name, so the rule takes nothing for that subject.',
    fix:
      'Use a subject of kind ServiceAccount with namespace and name for one account, with name `*` for all of a namespace, and the ' +
      'group `system:serviceaccounts` for all there are.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        rules: ruleYaml(['{kind: User, user: {name: "system:serviceaccount:shop:*"}}'], LISTS_OF_PODS),
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        rules: ruleYaml(['{kind: ServiceAccount, serviceAccount: {namespace: shop, name: "*"}}'], LISTS_OF_PODS),
      }),
    },
  },
  *check({ own }) {
    const namespaces = namedNamespaces(own.flowSchemas)
    for (const clause of subjectClauses(own.flowSchemas)) yield* findingsOf(clause, namespaces)
  },
})

interface Fault {
  why: string
  /** The subject that was meant. */
  meant?: { kind: 'User' | 'Group'; name: string } | { kind: 'ServiceAccount'; namespace: string; name: string }
  severity?: Severity
}

const SYSTEM_USERS = [
  'system:kube-controller-manager',
  'system:kube-scheduler',
  'system:kube-proxy',
  'system:apiserver',
  'system:anonymous',
]
const SYSTEM_GROUPS = [
  'system:masters',
  'system:nodes',
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  'system:serviceaccounts',
  'system:bootstrappers',
  'system:monitoring',
]
const NAMESPACE_GROUP = 'system:serviceaccounts:'

function* findingsOf({ schema, subject, path }: SubjectClause, namespaces: ReadonlySet<string>): Iterable<Finding> {
  const { kind, user, group } = subject
  const name = kind === 'User' ? user?.name : kind === 'Group' ? group?.name : undefined
  // A missing name is refused by the server, and the wildcard matches everybody.
  if (name === undefined || name === '' || name === WILDCARD) return
  const fault = kind === 'User' ? userFault(name, namespaces) : groupFault(name)
  if (fault === null) return
  const { why, meant, severity } = fault
  const member = kind === 'User' ? 'user' : 'group'
  yield {
    ...(severity && { severity }),
    object: schema,
    path: [...path, member, 'name'],
    message: `${nameOf(schema)} names ${member} "${name}"${severity === 'info' ? '' : `, ${member === 'user' ? 'whom nobody is' : 'in which nobody is'}`}: ${why}`,
    ...(meant && { fix: { text: `use ${inWords(meant)}`, edits: [{ path, set: subjectData(meant) }] } }),
  }
}

function userFault(name: string, namespaces: ReadonlySet<string>): Fault | null {
  if (SYSTEM_GROUPS.includes(name)) return { why: 'it is a group', meant: { kind: 'Group', name } }
  if (name.startsWith(NAMESPACE_GROUP) && isDnsLabel(name.slice(NAMESPACE_GROUP.length))) {
    return { why: 'it is a group', meant: { kind: 'Group', name } }
  }
  if (/^system:service-?accounts?(:|$)/i.test(name)) return accountFault(name)
  if (name === 'system:node:*') return { why: '"*" is no pattern', meant: { kind: 'Group', name: 'system:nodes' } }
  if (name.includes(WILDCARD)) return { why: '"*" is a wildcard only when it stands alone' }
  const system = systemName(name, SYSTEM_USERS)
  if (system !== null) return { why: `the user is ${system}`, meant: { kind: 'User', name: system } }
  return namespacedFault(name, namespaces)
}

/** What looks like the user name of a ServiceAccount. */
function accountFault(name: string): Fault | null {
  if (serviceAccountOf(name) !== null) return null
  const [, , namespace = '', account = '', ...more] = name.split(':')
  const why = 'the user name of a ServiceAccount is system:serviceaccount:NAMESPACE:NAME, without patterns'
  if (more.length > 0 || !isDnsLabel(namespace)) {
    const everywhere = namespace === '' || (namespace === WILDCARD && (account === '' || account === WILDCARD))
    return everywhere ? { why, meant: { kind: 'Group', name: 'system:serviceaccounts' } } : { why }
  }
  if (account === '' || account === WILDCARD)
    return { why, meant: { kind: 'ServiceAccount', namespace, name: WILDCARD } }
  return isDnsSubdomain(account) ? { why, meant: { kind: 'ServiceAccount', namespace, name: account } } : { why }
}

/** `shop/reporter`, `shop:reporter`: how people write a ServiceAccount. Users of other origin have such names too. */
function namespacedFault(name: string, namespaces: ReadonlySet<string>): Fault | null {
  const parts = /^([^:/]+)([:/])([^:/]+)$/.exec(name)
  const [, namespace = '', separator = '', account = ''] = parts ?? []
  if (!isDnsLabel(namespace) || !isDnsSubdomain(account)) return null
  const meant: Fault['meant'] = { kind: 'ServiceAccount', namespace, name: account }
  const why = `as a ServiceAccount it is the user ${SERVICE_ACCOUNT_PREFIX}${namespace}:${account}`
  if (namespaces.has(namespace)) return { why, meant }
  return separator === '/' ? { why, meant, severity: 'info' } : null
}

function groupFault(name: string): Fault | null {
  const account = serviceAccountOf(name)
  if (account !== null) return { why: 'it is a user', meant: { kind: 'ServiceAccount', ...account } }
  if (SYSTEM_USERS.includes(name)) return { why: 'it is a user', meant: { kind: 'User', name } }
  if (SYSTEM_GROUPS.includes(name)) return null
  if (/^system:service-?accounts?(:|$)/i.test(name)) return accountGroupFault(name)
  if (name.includes(WILDCARD)) return { why: '"*" is a wildcard only when it stands alone' }
  const system = systemName(name, SYSTEM_GROUPS)
  return system === null ? null : { why: `the group is ${system}`, meant: { kind: 'Group', name: system } }
}

/** What looks like a group of ServiceAccounts. */
function accountGroupFault(name: string): Fault | null {
  const rest = name.split(':').slice(2)
  const [namespace = ''] = rest
  if (name.startsWith(NAMESPACE_GROUP) && rest.length === 1 && isDnsLabel(namespace)) return null
  const why = 'groups of ServiceAccounts are system:serviceaccounts and system:serviceaccounts:NAMESPACE'
  if (namespace === '' || namespace === WILDCARD)
    return { why, meant: { kind: 'Group', name: 'system:serviceaccounts' } }
  if (!isDnsLabel(namespace)) return { why }
  if (rest.length === 1 || (rest.length === 2 && rest[1] === WILDCARD)) {
    return { why, meant: { kind: 'Group', name: NAMESPACE_GROUP + namespace } }
  }
  return { why }
}

/** The name of Kubernetes that was probably meant: without its `system:`, or misspelt by a letter or two. */
function systemName(name: string, known: readonly string[]): string | null {
  if (known.includes(name)) return null
  if (name.startsWith('system:')) {
    const meant = misspelt(
      name.slice('system:'.length),
      known.map((full) => full.slice('system:'.length)),
    )
    return meant === null ? null : `system:${meant}`
  }
  // `nodes` and `masters` may be groups of an organisation.
  return DISTINCT_NAMES.includes(name) && known.includes(`system:${name}`) ? `system:${name}` : null
}

const DISTINCT_NAMES: readonly string[] = [
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'anonymous',
  'authenticated',
  'unauthenticated',
  'serviceaccounts',
]

/** Namespaces that rules and ServiceAccounts of the objects name, and those that every cluster has. */
function namedNamespaces(schemas: readonly FlowSchema[]): ReadonlySet<string> {
  const rules = schemas.flatMap(({ spec }) => spec.rules)
  return new Set([
    'default',
    'kube-system',
    ...rules.flatMap(({ resourceRules }) => resourceRules.flatMap(({ namespaces }) => namespaces)),
    ...rules.flatMap(({ subjects }) => subjects.flatMap(({ serviceAccount }) => serviceAccount?.namespace ?? [])),
  ])
}

function inWords(meant: NonNullable<Fault['meant']>): string {
  if (meant.kind !== 'ServiceAccount') return `${meant.kind === 'User' ? 'user' : 'group'} ${meant.name}`
  const { namespace, name } = meant
  return name === WILDCARD ? `the ServiceAccounts of ${namespace}` : `ServiceAccount ${namespace}/${name}`
}

function subjectData(meant: NonNullable<Fault['meant']>): unknown {
  if (meant.kind === 'ServiceAccount') {
    const { namespace, name } = meant
    return { kind: 'ServiceAccount', serviceAccount: { namespace, name } }
  }
  return { kind: meant.kind, [meant.kind === 'User' ? 'user' : 'group']: { name: meant.name } }
}
