/** Random schemas and levels of which a server takes every one, and what it has made of them. */
import type { Configuration } from '../oracle/process.ts'
import { Random } from '../oracle/random.ts'
import { API_GROUPS, GROUPS, NAMESPACES, PATHS, RESOURCES, SERVICE_ACCOUNTS, USERS, VERBS } from '../oracle/words.ts'
import type { FlowSchemaJson, PriorityLevelJson, RuleJson, SubjectJson } from '../support/objects.ts'
import type { Cluster } from './cluster.ts'

const LEVELS = ['level-0', 'level-1', 'level-2', 'level-3']

/** One schema of ten names a level that is not there. */
const TARGETS = [...LEVELS, ...LEVELS, 'exempt', 'not-there']

/** Precedences collide, so that names decide. */
export function generatedManifests(seed: number, schemas: number, apiVersion: string): object[] {
  const random = new Random(seed)
  return [
    ...LEVELS.map((name) => ({ apiVersion, kind: 'PriorityLevelConfiguration', ...randomLevel(random, name) })),
    ...Array.from({ length: schemas }, (_, index) => ({
      apiVersion,
      kind: 'FlowSchema',
      ...randomSchema(random, `generated-${index}`),
    })),
  ]
}

function randomLevel(random: Random, name: string): PriorityLevelJson {
  const queuing = { queues: 64, handSize: 6, queueLengthLimit: 50 }
  const limitResponse = random.chance(0.3) ? { type: 'Reject' } : { type: 'Queue', queuing }
  return { metadata: { name }, spec: { type: 'Limited', limited: { nominalConcurrencyShares: 10, limitResponse } } }
}

function randomSchema(random: Random, name: string): FlowSchemaJson {
  const distinguisher = random.pick(['ByUser', 'ByNamespace', null])
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: random.pick(TARGETS) },
      matchingPrecedence: 50 * random.integer(1, 20),
      ...(distinguisher === null ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: Array.from({ length: random.integer(1, 2) }, () => randomRule(random)),
    },
  }
}

function randomRule(random: Random): RuleJson {
  const resources = random.chance(0.7)
  const paths = !resources || random.chance(0.3)
  return {
    subjects: Array.from({ length: random.integer(1, 2) }, () => randomSubject(random)),
    ...(resources ? { resourceRules: [randomResourceRule(random)] } : {}),
    ...(paths ? { nonResourceRules: [randomPathRule(random)] } : {}),
  }
}

function randomSubject(random: Random): SubjectJson {
  const serviceAccount = random.pick(SERVICE_ACCOUNTS)
  return random.pick<SubjectJson>([
    { kind: 'User', user: { name: random.pick(USERS) } },
    { kind: 'Group', group: { name: random.pick(GROUPS.filter((name) => !name.startsWith('system:'))) } },
    { kind: 'ServiceAccount', serviceAccount },
    { kind: 'ServiceAccount', serviceAccount: { ...serviceAccount, name: '*' } },
  ])
}

function randomResourceRule(random: Random) {
  const namespaces = random.chance(0.8) ? someOrAll(random, NAMESPACES.filter(isNamespaceName)) : []
  return {
    verbs: someOrAll(random, VERBS),
    apiGroups: someOrAll(random, API_GROUPS),
    resources: someOrAll(random, RESOURCES),
    namespaces,
    clusterScope: namespaces.length === 0 || random.chance(0.4),
  }
}

function isNamespaceName(name: string): boolean {
  return /^[a-z0-9-]+$/.test(name)
}

function randomPathRule(random: Random) {
  const paths = PATHS.flatMap((path) => [path, `${path.replace(/\/$/, '')}/*`])
  return {
    verbs: someOrAll(random, ['get', 'patch', 'delete']),
    nonResourceURLs: someOrAll(random, paths),
  }
}

function someOrAll(random: Random, values: readonly string[]): string[] {
  return random.chance(0.3) ? ['*'] : [...new Set(random.several(values, 1, 4))]
}

export async function configurationOf(cluster: Cluster): Promise<Configuration> {
  return {
    flowSchemas: await cluster.list<FlowSchemaJson>('flowschemas'),
    priorityLevels: await cluster.list<PriorityLevelJson>('prioritylevelconfigurations'),
  }
}
