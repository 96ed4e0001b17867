/** Random configurations with a random change, and requests on the boundaries of their rules. */
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../src/apf/order.ts'
import type { Identity, RequestAttributes } from '../../src/apf/request.ts'
import type { VersionRules } from '../../src/apf/versions.ts'
import type { IdentityFacts } from '../../src/regions/identity.ts'
import { randomConfiguration } from '../oracle/objects.ts'
import type { Random } from '../oracle/random.ts'
import * as words from '../oracle/words.ts'
import { type FlowSchemaJson, flowSchema, type PriorityLevelJson, priorityLevel } from './objects.ts'
import { nonResourceRequest, resourceRequest } from './region-entries.ts'

interface Objects {
  flowSchemas: FlowSchemaJson[]
  priorityLevels: PriorityLevelJson[]
}

export interface RandomChange {
  before: EffectiveConfiguration
  after: EffectiveConfiguration
}

/** Up to 60 schemas, with ties, dangling ones and what no server would accept, and up to six edits of them. */
export function randomChange(random: Random, rules: { before: VersionRules; after: VersionRules }): RandomChange {
  const before = randomConfiguration(random, defaultsOf(rules.before))
  const after = { flowSchemas: [...before.flowSchemas], priorityLevels: [...before.priorityLevels] }
  for (let edits = random.integer(1, 6); edits > 0; edits--) edit(random, after, rules.after)
  return { before: effective(before, rules.before), after: effective(after, rules.after) }
}

export function randomState(random: Random, rules: VersionRules): EffectiveConfiguration {
  return effective(randomConfiguration(random, defaultsOf(rules)), rules)
}

function defaultsOf(rules: VersionRules) {
  const { flowSchemas, priorityLevels } = defaultObjects(rules)
  return {
    mandatoryFlowSchemas: flowSchemas,
    suggestedFlowSchemas: [],
    mandatoryPriorityLevels: priorityLevels,
    suggestedPriorityLevels: [],
  } as unknown as Parameters<typeof randomConfiguration>[1]
}

function effective({ flowSchemas, priorityLevels }: Objects, rules: VersionRules): EffectiveConfiguration {
  return effectiveConfiguration(flowSchemas.map(flowSchema), priorityLevels.map(priorityLevel), rules)
}

function edit(random: Random, objects: Objects, rules: VersionRules): void {
  const { flowSchemas, priorityLevels } = objects
  // Parts of a schema that has nothing to do with it, so that edits are like the rest.
  const donor = random.pick(randomConfiguration(random, defaultsOf(rules)).flowSchemas.concat(schemaStub()))
  const at = random.integer(0, Math.max(flowSchemas.length - 1, 0))
  const edited = structuredClone(flowSchemas[at] ?? schemaStub())
  const { spec } = edited
  switch (random.integer(0, 8)) {
    case 0:
      flowSchemas.splice(at, 1)
      return
    case 1:
      flowSchemas.push({ metadata: { name: `new-${random.integer(0, 9)}` }, spec: donor.spec })
      return
    case 2:
      priorityLevels.splice(random.integer(0, Math.max(priorityLevels.length - 1, 0)), 1)
      return
    case 3:
      spec.matchingPrecedence = random.pick([
        donor.spec.matchingPrecedence ?? 1000,
        (spec.matchingPrecedence ?? 1000) + 1,
      ])
      break
    case 4:
      spec.priorityLevelConfiguration = { name: random.pick(['exempt', 'level-0', 'level-1', 'no-such-level', 'new']) }
      break
    case 5:
      spec.distinguisherMethod = { type: random.pick(['ByUser', 'ByNamespace', 'Other']) }
      break
    case 6:
      if (donor.spec.rules) spec.rules = donor.spec.rules
      break
    case 7: {
      const [own, other] = [spec.rules?.[0], donor.spec.rules?.[0]]
      if (own && other?.subjects) own.subjects = [...(own.subjects ?? []), ...other.subjects]
      break
    }
    default: {
      const [own, other] = [spec.rules?.[0], donor.spec.rules?.[0]]
      if (own && other?.resourceRules) own.resourceRules = [...other.resourceRules, ...(own.resourceRules ?? [])]
    }
  }
  if (flowSchemas.length > 0) flowSchemas[at] = edited
}

function schemaStub(): FlowSchemaJson {
  return { metadata: { name: 'stub' }, spec: { priorityLevelConfiguration: { name: 'level-0' }, rules: [] } }
}

/** Names that rules name, and some beside them. */
export interface Vocabulary {
  users: string[]
  groups: string[]
}

export function vocabularyOf(configurations: readonly EffectiveConfiguration[]): Vocabulary {
  const subjects = configurations.flatMap(({ order }) =>
    order.flatMap(({ schema }) => schema.spec.rules.flatMap(({ subjects: named }) => named)),
  )
  const users = subjects.flatMap(({ user, serviceAccount }) => [
    ...(user ? [user.name] : []),
    ...(serviceAccount ? [`system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`] : []),
  ])
  return {
    users: [
      ...new Set([
        ...users.filter((name) => name !== ''),
        'nobody',
        'system:serviceaccount:elsewhere:x',
        'system:serviceaccount:shop:other',
      ]),
    ],
    groups: [...new Set([...subjects.flatMap(({ group }) => group?.name ?? []), 'no-such-group'])],
  }
}

const EITHER = ['system:authenticated', 'system:unauthenticated']

/** An identity that is possible by the facts. */
export function randomIdentity(random: Random, { users, groups }: Vocabulary, facts: IdentityFacts): Identity {
  const name = random.pick(users)
  const others = random.several(groups, 0, random.pick([0, 1, 2, 6])).filter((group) => !EITHER.includes(group))
  const account = /^system:serviceaccount:([a-z0-9-]+):[a-z0-9.-]*[a-z0-9]$/.exec(name)
  if (facts === 'authenticated') {
    if (name.startsWith('system:serviceaccount:') && !account)
      return { name: 'nobody', groups: [...others, random.pick(EITHER)] }
    if (account) {
      others.push('system:serviceaccounts', `system:serviceaccounts:${account[1]}`)
      return { name, groups: [...others, 'system:authenticated'] }
    }
    const other = name === 'system:anonymous' ? 'system:unauthenticated' : random.pick(EITHER)
    return { name, groups: [...others, other] }
  }
  if (account && random.chance(0.7)) others.push('system:serviceaccounts', `system:serviceaccounts:${account[1]}`)
  return { name, groups: [...others, ...random.pick([[random.pick(EITHER)], [random.pick(EITHER)], EITHER])] }
}

/** A request that a rule of one of the schemas names, or one that differs from it in a value or two. */
export function randomRequest(random: Random, configurations: readonly EffectiveConfiguration[]): RequestAttributes {
  const { order } = random.pick(configurations)
  const rules = random.pick(order).schema.spec.rules
  const rule = rules.length > 0 ? random.pick(rules) : { resourceRules: [], nonResourceRules: [] }
  const near = <T extends string>(list: readonly T[], others: readonly string[]): string =>
    random.chance(0.12) || list.length === 0 || list[0] === '*' ? random.pick(others) : random.pick(list)
  const isResource = random.chance(0.65)
  if (isResource) {
    const named = rule.resourceRules.length > 0 ? random.pick(rule.resourceRules) : null
    const [resource = '', subresource = ''] = near(named?.resources ?? [], [
      ...words.RESOURCES,
      ...words.ODD_RESOURCES,
    ]).split('/')
    return resourceRequest({
      verb: near(named?.verbs ?? [], [...words.VERBS, ...words.ODD_VERBS]),
      apiGroup: near(named?.apiGroups ?? [], words.API_GROUPS),
      resource,
      subresource,
      namespace: random.chance(0.3) ? '' : near(named?.namespaces ?? [], [...words.NAMESPACES, 'else']),
    })
  }
  const named = rule.nonResourceRules.length > 0 ? random.pick(rule.nonResourceRules) : null
  const path = near(named?.nonResourceURLs ?? [], words.PATHS)
  const ending = random.chance(0.3) ? random.pick(['x', '/', '/x', '/x/y']) : ''
  return nonResourceRequest(
    near(named?.verbs ?? [], ['get', 'put', 'post', 'head', 'delete', 'proxy', 'watch']).toLowerCase(),
    (path.endsWith('*') && random.chance(0.8) ? path.slice(0, -1) : path) + ending,
  )
}
