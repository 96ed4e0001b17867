/**
 * Random configurations, in the form in which a server holds them: defaulted, but also with what no server would have
 * accepted. Left out is what makes upstream's code panic: unknown distinguisher methods, and levels that are neither
 * limited nor exempt and have no member of either kind.
 */
import type { FlowSchemaJson, PriorityLevelJson, RuleJson, SubjectJson } from '../support/objects.ts'
import type { DefaultLists } from './build.ts'
import type { Configuration } from './process.ts'
import type { Random } from './random.ts'
import {
  API_GROUPS,
  GROUPS,
  NAMESPACES,
  ODD_API_GROUPS,
  ODD_GROUPS,
  ODD_NAMESPACES,
  ODD_RESOURCES,
  ODD_USERS,
  ODD_VERBS,
  PATH_PATTERNS,
  RESOURCES,
  SERVICE_ACCOUNTS,
  USERS,
  VERBS,
} from './words.ts'

const PRECEDENCES = [1, 2, 3, 100, 500, 500, 700, 1000, 2000, 8000, 9000, 9999, 10000, 10001, 2147483647, -5]
const SCHEMA_NAMES = [
  'a',
  'a-b',
  'a.b',
  'a0',
  'b',
  'catch',
  'catch-all-2',
  'exempt-',
  'shop',
  'zz',
  'größe',
  '😀',
  '\uff41',
]

/** Some of the default objects (often all), with 0 to 60 schemas and their levels of its own. */
export function randomConfiguration(random: Random, defaults: DefaultLists): Configuration {
  const flowSchemas = new Map<string, FlowSchemaJson>()
  const priorityLevels = new Map<string, PriorityLevelJson>()
  const keep = random.pick([1, 1, 1, 0.8, 0.3, 0])
  const [defaultSchemas, defaultLevels] = defaultConfiguration(defaults)
  for (const level of defaultLevels) if (random.chance(keep)) priorityLevels.set(level.metadata.name, level)
  for (const schema of defaultSchemas) if (random.chance(keep)) flowSchemas.set(schema.metadata.name, schema)

  const brokenness = random.pick([0, 0.1, 0.3])
  const levelNames = Array.from({ length: random.integer(1, 8) }, (_, index) => `level-${index}`)
  for (const name of levelNames) priorityLevels.set(name, randomLevel(random, name, brokenness))
  for (const name of ['exempt', 'catch-all']) {
    if (random.chance(0.1)) priorityLevels.set(name, randomLevel(random, name, brokenness))
  }

  const targets = [...levelNames, ...levelNames, ...priorityLevels.keys(), 'exempt', 'catch-all', 'no-such-level']
  const size = random.chance(0.04) ? 0 : random.integer(1, random.pick([6, 20, 60]))
  for (let index = 0; index < size; index++) {
    const name = random.chance(0.3) ? random.pick(SCHEMA_NAMES) : `${random.pick(SCHEMA_NAMES)}${index}`
    flowSchemas.set(name, randomSchema(random, name, random.pick(targets)))
  }
  for (const name of ['exempt', 'catch-all']) {
    if (random.chance(0.05)) flowSchemas.set(name, randomSchema(random, name, random.pick(targets)))
  }
  return { flowSchemas: [...flowSchemas.values()], priorityLevels: [...priorityLevels.values()] }
}

/** The default objects with a number of well-formed schemas and levels of one's own, as a big cluster may have them. */
export function crowdedConfiguration(random: Random, defaults: DefaultLists, schemas: number): Configuration {
  const levels = Array.from({ length: 8 }, (_, index) => randomLevel(random, `level-${index}`, 0))
  const own = Array.from({ length: schemas }, (_, index) =>
    randomSchema(random, `schema-${index}`, random.pick(levels).metadata.name),
  )
  const [defaultSchemas, defaultLevels] = defaultConfiguration(defaults)
  return { flowSchemas: [...defaultSchemas, ...own], priorityLevels: [...defaultLevels, ...levels] }
}

function defaultConfiguration(defaults: DefaultLists): [FlowSchemaJson[], PriorityLevelJson[]] {
  const schemas = [...defaults.mandatoryFlowSchemas, ...defaults.suggestedFlowSchemas]
  const levels = [...defaults.mandatoryPriorityLevels, ...defaults.suggestedPriorityLevels]
  return [
    schemas.map(({ metadata: { name }, spec }) => ({ metadata: { name }, spec: spec as FlowSchemaJson['spec'] })),
    levels.map(({ metadata: { name }, spec }) => ({ metadata: { name }, spec })),
  ]
}

function randomLevel(random: Random, name: string, brokenness: number): PriorityLevelJson {
  const exempt = { nominalConcurrencyShares: 0, lendablePercent: 0 }
  const spec: PriorityLevelJson['spec'] =
    name === 'exempt'
      ? { type: 'Exempt', exempt }
      : {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: random.pick([1, 5, 30]),
            lendablePercent: random.pick([0, 50]),
            limitResponse: randomResponse(random),
          },
        }
  if (random.chance(brokenness)) breakLevel(random, spec)
  return { metadata: { name }, spec }
}

function randomResponse(random: Random): Limited['limitResponse'] {
  if (random.chance(0.12)) return { type: 'Reject' }
  const [queues, handSize] = random.pick([
    [128, 6],
    [64, 8],
    [16, 4],
    [512, 6],
    [2, 1],
    [2, 2],
    [5, 5],
    [15, 15],
    [1, 1],
    [1024, 6],
    [1024, 1],
  ])
  const queuing = { queues: queues ?? 1, handSize: handSize ?? 1, queueLengthLimit: random.pick([1, 50]) }
  return { type: random.chance(0.02) ? 'Delay' : 'Queue', queuing }
}

type Limited = NonNullable<PriorityLevelJson['spec']['limited']>

function breakLevel(random: Random, spec: PriorityLevelJson['spec']): void {
  const exempt = { nominalConcurrencyShares: 5, lendablePercent: 0 }
  const response = spec.limited?.limitResponse
  const fault = random.integer(0, 7)
  if (fault === 0) {
    delete spec.limited
    if (spec.type !== 'Exempt') spec.exempt = exempt
    else delete spec.exempt
    spec.type = 'Limited'
  } else if (fault === 1) {
    spec.type = 'Exempt'
    spec.exempt = exempt
    if (random.chance(0.5)) delete spec.limited
  } else if (fault === 2 && spec.limited) spec.type = random.pick(['limited', 'Other', ''])
  else if (fault === 3) spec.exempt = exempt
  else if (response && fault === 4) {
    response.type = 'Reject'
    response.queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 }
  } else if (response && fault === 5) delete response.queuing
  else if (response) {
    const [queues, handSize] = random.pick([
      [64, 11],
      [4, 5],
      [16, 16],
      [67108865, 1],
      [-1, 1],
      [8, -1],
      [128, 9],
    ])
    response.type = 'Queue'
    response.queuing = { queues: queues ?? 0, handSize: handSize ?? 0, queueLengthLimit: 50 }
  }
}

function randomSchema(random: Random, name: string, level: string): FlowSchemaJson {
  const spec: FlowSchemaJson['spec'] = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: random.chance(0.6) ? random.integer(2, 9999) : random.pick(PRECEDENCES),
  }
  const distinguisher = random.pick(['ByUser', 'ByNamespace', null])
  if (distinguisher) spec.distinguisherMethod = { type: distinguisher }
  if (!random.chance(0.03)) {
    spec.rules = Array.from({ length: random.integer(random.chance(0.05) ? 0 : 1, 3) }, () => randomRule(random))
  }
  return { metadata: { name }, spec }
}

function randomRule(random: Random): RuleJson {
  const rule: RuleJson = {}
  if (!random.chance(0.03)) rule.subjects = Array.from({ length: random.integer(1, 4) }, () => randomSubject(random))
  if (!random.chance(0.2)) {
    rule.resourceRules = Array.from({ length: random.integer(1, 3) }, () => ({
      ...list(random, 'verbs', VERBS, ODD_VERBS, 4),
      ...list(random, 'apiGroups', API_GROUPS, ODD_API_GROUPS, 3),
      ...list(random, 'resources', RESOURCES, ODD_RESOURCES, 4),
      ...list(random, 'namespaces', NAMESPACES, ODD_NAMESPACES, 3),
      ...(random.chance(0.5) ? { clusterScope: random.chance(0.8) } : {}),
    }))
  }
  if (!random.chance(0.4)) {
    rule.nonResourceRules = Array.from({ length: random.integer(1, 3) }, () => ({
      ...list(random, 'verbs', ['get', 'get', 'put', 'patch', 'delete', 'post'], ODD_VERBS, 3),
      nonResourceURLs: random.several(PATH_PATTERNS, random.chance(0.03) ? 0 : 1, 4),
    }))
  }
  return rule
}

/** One member of a rule: a wildcard alone, values with or without a wildcard among them, nothing, or not even the member. */
function list<Name extends string>(
  random: Random,
  name: Name,
  usual: readonly string[],
  odd: readonly string[],
  longest: number,
): { [name in Name]?: string[] } {
  if (random.chance(0.02)) return {}
  if (random.chance(0.35)) return { [name]: ['*'] } as { [name in Name]?: string[] }
  const values = random.several(usual, random.chance(0.02) ? 0 : 1, longest)
  if (random.chance(0.15)) values.push(random.pick(odd))
  if (random.chance(0.05)) values.splice(random.integer(0, values.length), 0, '*')
  return { [name]: values } as { [name in Name]?: string[] }
}

function randomSubject(random: Random): SubjectJson {
  const user = { name: random.chance(0.1) ? '*' : random.pick(random.chance(0.1) ? ODD_USERS : USERS) }
  const group = { name: random.chance(0.1) ? '*' : random.pick(random.chance(0.1) ? ODD_GROUPS : GROUPS) }
  const account = random.pick(SERVICE_ACCOUNTS)
  const serviceAccount = random.chance(0.3) ? { ...account, name: '*' } : { ...account }
  if (random.chance(0.03)) serviceAccount.namespace = random.pick(['', '*', 'shop:reporter'])
  if (random.chance(0.03)) return { kind: random.pick(['Robot', 'user', '', 'Everybody']), user, group }
  const kind = random.pick(['User', 'Group', 'ServiceAccount'])
  const subject: SubjectJson = { kind }
  // A member of another kind does not count, and may be there.
  if ((kind === 'User' && !random.chance(0.03)) || random.chance(0.03)) subject.user = user
  if ((kind === 'Group' && !random.chance(0.03)) || random.chance(0.03)) subject.group = group
  if ((kind === 'ServiceAccount' && !random.chance(0.03)) || random.chance(0.03))
    subject.serviceAccount = serviceAccount
  return subject
}
