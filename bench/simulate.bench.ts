/**
 * The semantic difference of two configurations, and what every rule of one gets: how long they take, how that grows with
 * the number of FlowSchemas, and where the budget gives up.
 */
import { movesBetween } from '../src/analysis/moves.ts'
import { reachOf } from '../src/analysis/reach.ts'
import { defaultObjects } from '../src/apf/defaults/index.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../src/apf/objects.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../src/apf/order.ts'
import { rulesFor } from '../src/apf/versions.ts'
import { Random } from '../test/oracle/random.ts'
import {
  type FlowSchemaJson,
  flowSchema,
  queueLevel,
  type RuleJson,
  type SubjectJson,
} from '../test/support/objects.ts'

const RULES = rulesFor({ minor: 37 })
const DEFAULTS = defaultObjects(RULES)
const LEVELS = Array.from({ length: 8 }, (_, index) => queueLevel(`level-${index}`))
const SEEDS = [1, 2, 3]
const ROUNDS = 5

const RESOURCES: readonly (readonly [string, readonly string[]])[] = [
  ['', ['pods', 'configmaps', 'secrets', 'events', 'services', 'endpoints', 'pods/status', 'nodes']],
  ['apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'deployments/scale']],
  ['batch', ['jobs', 'cronjobs']],
  ['coordination.k8s.io', ['leases']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies']],
  ['example.com', ['widgets', 'gadgets']],
]
const VERB_LISTS = [
  ['list'],
  ['list', 'watch'],
  ['get', 'list', 'watch'],
  ['create', 'update', 'patch', 'delete'],
  ['get', 'create', 'update'],
]

interface State {
  flowSchemas: FlowSchema[]
  priorityLevels: PriorityLevelConfiguration[]
}

/** As big clusters have them: most schemas are about ServiceAccounts of one team, few about groups of people. */
function realisticSchema(random: Random, name: string): FlowSchema {
  const namespace = `team-${random.integer(0, 49)}`
  const json: FlowSchemaJson = {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: random.pick(LEVELS).metadata.name },
      matchingPrecedence: random.integer(200, 9800),
      rules: Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => realisticRule(random, namespace)),
    },
  }
  const method = random.pick(['ByUser', 'ByNamespace', null])
  if (method) json.spec.distinguisherMethod = { type: method }
  return flowSchema(json)
}

function realisticRule(random: Random, namespace: string): RuleJson {
  const [apiGroup, resources] = random.pick(RESOURCES)
  const anyResource = random.chance(0.4)
  const subject = realisticSubject(random, namespace)
  return {
    subjects: random.chance(0.2) ? [subject, realisticSubject(random, namespace)] : [subject],
    resourceRules: [
      {
        verbs: random.chance(0.5) ? ['*'] : random.pick(VERB_LISTS),
        apiGroups: anyResource ? ['*'] : [apiGroup],
        resources: anyResource ? ['*'] : random.several(resources, 1, 3),
        namespaces: random.chance(0.6) ? ['*'] : [namespace],
        clusterScope: random.chance(0.6),
      },
    ],
    nonResourceRules: random.chance(0.2) ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
  }
}

function realisticSubject(random: Random, namespace: string): SubjectJson {
  const kind = random.next()
  if (kind < 0.08) return { kind: 'Group', group: { name: `people-${random.integer(0, 9)}` } }
  if (kind < 0.12) return { kind: 'Group', group: { name: `system:serviceaccounts:${namespace}` } }
  if (kind < 0.25) return { kind: 'User', user: { name: `user-${random.integer(0, 39)}` } }
  const name = random.chance(0.2) ? '*' : `account-${random.integer(0, 4)}`
  return { kind: 'ServiceAccount', serviceAccount: { namespace, name } }
}

/** Everything named differently and everybody in groups: hardly two schemas have nothing to do with each other. */
function adversarialSchema(random: Random, name: string): FlowSchema {
  const some = (word: string) =>
    random.several(
      Array.from({ length: 30 }, (_, index) => `${word}-${index}`),
      1,
      6,
    )
  const list = (word: string) => (random.chance(0.3) ? ['*'] : some(word))
  return flowSchema({
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: random.pick(LEVELS).metadata.name },
      matchingPrecedence: random.integer(200, 9800),
      rules: Array.from({ length: random.integer(1, 3) }, () => ({
        subjects: some('group').map((group): SubjectJson => ({ kind: 'Group', group: { name: group } })),
        resourceRules: Array.from({ length: 2 }, () => ({
          verbs: list('verb'),
          apiGroups: list('group'),
          resources: list('resource'),
          namespaces: list('namespace'),
          clusterScope: random.chance(0.5),
        })),
      })),
    },
  })
}

type MakeSchema = (random: Random, name: string) => FlowSchema

function stateOf(random: Random, size: number, make: MakeSchema): State {
  const own = Array.from({ length: size }, (_, index) => make(random, `schema-${index}`))
  return {
    flowSchemas: [...DEFAULTS.flowSchemas, ...own],
    priorityLevels: [...DEFAULTS.priorityLevels, ...LEVELS],
  }
}

function changed(random: Random, { flowSchemas, priorityLevels }: State, edits: number, make: MakeSchema): State {
  const after = [...flowSchemas]
  for (let edit = 0; edit < edits; edit++) {
    const at = random.integer(DEFAULTS.flowSchemas.length, after.length - 1)
    const old = after[at]
    if (!old) continue
    const made = make(random, old.metadata.name)
    const kind = edit % 4
    if (kind === 0) after.splice(at, 1)
    else if (kind === 1) after[at] = made
    else if (kind === 2) after[at] = { ...old, spec: { ...old.spec, matchingPrecedence: random.integer(200, 9800) } }
    else
      after[at] = {
        ...old,
        spec: { ...old.spec, priorityLevelConfiguration: { name: random.pick(LEVELS).metadata.name } },
      }
  }
  return { flowSchemas: after, priorityLevels }
}

function effective({ flowSchemas, priorityLevels }: State): EffectiveConfiguration {
  return effectiveConfiguration(flowSchemas, priorityLevels, RULES)
}

/** Time of work, as a busy machine does not stretch it. */
function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

/** The best of some rounds. */
function best(work: () => unknown): number {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    work()
    least = Math.min(least, milliseconds(process.cpuUsage(start)))
  }
  return least
}

function report(what: string, states: readonly (readonly [State, State])[], bar: number | null): void {
  const configurations = states.map(([before, after]) => [effective(before), effective(after)] as const)
  let moves = 0
  let undecided = 0
  const start = process.cpuUsage()
  for (const [before, after] of configurations) {
    const found = movesBetween(before, after, { identities: 'any', rules: { before: RULES, after: RULES } })
    moves += found.moves.length
    undecided += found.undecided.length > 0 ? 1 : 0
  }
  const cold = milliseconds(process.cpuUsage(start)) / configurations.length
  const times = configurations.map(([before, after]) =>
    best(() => movesBetween(before, after, { identities: 'any', rules: { before: RULES, after: RULES } })),
  )
  const slowest = Math.max(...times)
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20)
  const held = bar === null ? '' : `; bar ${bar} ms: ${slowest <= bar ? 'held' : 'MISSED'}`
  console.log(
    `  ${what}: ${slowest.toFixed(0)} ms (first call ${cold.toFixed(0)}), ${moves} moves, ${undecided} undecided, ${memory} MiB${held}`,
  )
}

function pairs(size: number, edits: number, make: MakeSchema): [State, State][] {
  return SEEDS.map((seed) => {
    const random = new Random(seed)
    const before = stateOf(random, size, make)
    return [before, changed(random, before, edits, make)]
  })
}

const only = process.argv
  .slice(2)
  .find((word) => word.startsWith('--only='))
  ?.slice(7)
const wanted = (name: string) => only === undefined || name.includes(only)

console.log('moves, slowest of three random changes:')
if (wanted('defaults')) {
  const random = new Random(1)
  const states = SEEDS.map((): [State, State] => [
    { ...DEFAULTS, priorityLevels: [...DEFAULTS.priorityLevels, ...LEVELS] },
    stateOf(random, 1, realisticSchema),
  ])
  report('default objects and one schema more', states, 50)
}
if (wanted('realistic')) {
  report('200 realistic schemas, 10 changed', pairs(200, 10, realisticSchema), 1000)
  report('1000 realistic schemas, 1 changed', pairs(1000, 1, realisticSchema), 1000)
}
if (wanted('growth'))
  for (const size of [50, 100, 200, 400, 800])
    report(`${size} realistic schemas, 10 changed`, pairs(size, 10, realisticSchema), null)
if (wanted('adversarial'))
  for (const size of [10, 20, 30])
    report(`${size} adversarial schemas, 10 changed`, pairs(size, 10, adversarialSchema), null)

if (wanted('reach')) {
  console.log('what every rule gets:')
  for (const size of [200, 1000]) {
    const configuration = effective(stateOf(new Random(1), size, realisticSchema))
    for (const identities of ['any', 'authenticated'] as const) {
      const start = process.cpuUsage()
      const reaches = reachOf(configuration, { identities, rules: RULES })
      const extents = reaches.map(({ extent }) => extent)
      const time = milliseconds(process.cpuUsage(start))
      const shadowed = reaches.filter(({ extent }) => extent === 'nothing')
      const then = process.cpuUsage()
      const covered = shadowed.map(({ coveredBy }) => coveredBy)
      console.log(
        `  ${size} schemas, ${identities}: extents ${time.toFixed(0)} ms, what covers the ${covered.length} shadowed ones ` +
          `${milliseconds(process.cpuUsage(then)).toFixed(0)} ms, ${extents.filter((extent) => extent === 'undecided').length} undecided`,
      )
    }
  }
}
