import { linePhrase } from '../../analysis/line-phrase.ts'
import { landingsOf, SYSTEM_TRAFFIC, type SystemTraffic } from '../../analysis/system-traffic.ts'
import { typicalIdentity } from '../../analysis/typical-identity.ts'
import { bootstrapClass } from '../../apf/defaults/index.ts'
import { serviceAccountOf } from '../../apf/identity.ts'
import { subjectMatches } from '../../apf/match.ts'
import type { FlowSchema, Subject } from '../../apf/objects.ts'
import { type EffectiveConfiguration, type EffectiveSchema, effectiveConfiguration } from '../../apf/order.ts'
import type { Severity } from '../../apf/problem.ts'
import type { Identity } from '../../apf/request.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { listInWords, nameOf } from '../clauses.ts'
import { levelYaml, ruleYaml, schemaYaml } from '../examples.ts'
import { providerOf } from '../providers/index.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF214',
  name: 'system-traffic',
  severity: 'warning',
  summary: 'A FlowSchema takes requests that keep the cluster alive from the schemas made for them',
  documentation: {
    what:
      'A FlowSchema that takes requests of nodes, of the control plane or of kube-system, which without the given objects land in ' +
      'the default schemas for them: leader election, heartbeats of nodes, probes, and whatever else these clients send. A warning ' +
      'for leader election, heartbeats and probes, and wherever the schema takes them along with many others; information where it ' +
      'names the very client, or the requests stay in their level or become exempt.',
    why:
      'The default schemas give these clients seats of their own. Taken from there they wait behind others: leaders step down, ' +
      'nodes count as lost, probes restart the server, just when it is busy.',
    fix: 'Give the schema a larger matchingPrecedence (above 900 for all of them), or narrower subjects.',
    fails: {
      defaults: '1.34',
      yaml: `${schemaYaml({
        precedence: 300,
        level: 'shop-lists',
        rules: ruleYaml(['{kind: Group, group: {name: "system:authenticated"}}'], exampleClause()),
      })}---\n${levelYaml('shop-lists')}`,
    },
    passes: {
      defaults: '1.34',
      yaml: `${schemaYaml({
        precedence: 8500,
        level: 'shop-lists',
        rules: ruleYaml(['{kind: Group, group: {name: "system:authenticated"}}'], exampleClause()),
      })}---\n${levelYaml('shop-lists')}`,
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function exampleClause(): string {
  return `\
resourceRules:
  - verbs: [list]
    apiGroups: ['*']
    resources: ['*']
    clusterScope: true
    namespaces: ['*']
`
}

function* findings(context: LintContext): Iterable<Finding> {
  const bySchema = new Map<FlowSchema, Capture[]>()
  for (const capture of captures(context)) {
    const known = bySchema.get(capture.to.schema)
    if (known) known.push(capture)
    else bySchema.set(capture.to.schema, [capture])
  }
  for (const [schema, captured] of bySchema) yield findingOf(schema, captured)
}

/** Requests of a class that an own schema takes. */
interface Capture {
  traffic: SystemTraffic
  identity: Identity
  from: EffectiveSchema
  to: EffectiveSchema
  witness: RequestLine
}

/** Default schemas that are for everybody: nothing of the system's is lost there. */
const FOR_EVERYBODY: readonly string[] = ['service-accounts', 'global-default', 'catch-all']

function captures(context: LintContext): Capture[] {
  const { configuration, rules } = context
  const ours = configuration.order.filter(({ schema }) => isOurs(schema, context))
  const subjects = ours.flatMap(({ schema }) => schema.spec.rules.flatMap((rule) => rule.subjects))
  if (subjects.length === 0) return []
  const before = withoutOwn(context)
  return SYSTEM_TRAFFIC.flatMap((traffic) =>
    identitiesOf(traffic, subjects).flatMap((identity) =>
      landingsOf(traffic.requests, identity, configuration, rules)
        .filter(({ entry }) => ours.includes(entry))
        .flatMap(({ entry: to, requests }) =>
          landingsOf(requests, identity, before, rules)
            .filter(({ entry }) => isMadeForThem(entry.schema, context))
            .map(({ entry: from, witness }) => ({ traffic, identity, from, to, witness })),
        ),
    ),
  )
}

/** A schema of the server's, or of a provider's, that is not for everybody. */
function isMadeForThem(schema: FlowSchema, { rules }: LintContext): boolean {
  if (bootstrapClass(schema, rules) === null) return providerOf(schema) !== null
  return !FOR_EVERYBODY.includes(schema.metadata.name)
}

/** What the default and the providers' objects among all make of requests. */
function withoutOwn(context: LintContext): EffectiveConfiguration {
  const { flowSchemas, priorityLevels } = context.all
  return effectiveConfiguration(
    flowSchemas.filter((schema) => !isOurs(schema, context)),
    priorityLevels,
    context.rules,
  )
}

function isOurs(schema: FlowSchema, { own, rules }: LintContext): boolean {
  return own.flowSchemas.includes(schema) && bootstrapClass(schema, rules) === null && providerOf(schema) === null
}

/** The usual senders of a class and those that the subjects name, as far as any of the subjects matches them. */
function identitiesOf(traffic: SystemTraffic, subjects: readonly Subject[]): Identity[] {
  const byName = new Map(traffic.identities.map((identity) => [identity.name, identity]))
  for (const subject of subjects) {
    const identity = typicalIdentity(subject)
    if (identity === null || byName.has(identity.name)) continue
    if (traffic.subjects.some((sender) => subjectMatches(sender, identity))) byName.set(identity.name, identity)
  }
  return [...byName.values()].filter((identity) => subjects.some((subject) => subjectMatches(subject, identity)))
}

const EXAMPLES_SHOWN = 3

function findingOf(schema: FlowSchema, captured: readonly Capture[]): Finding {
  const worst = captured.some((capture) => severityOf(capture) === 'warning') ? 'warning' : 'info'
  const told = captured.filter((capture) => severityOf(capture) === worst)
  const origins = [...new Set(told.map(({ from }) => from.schema.metadata.name))]
  return {
    severity: worst,
    object: schema,
    path: ['spec', 'matchingPrecedence'],
    message: `${nameOf(schema)} takes ${whatIsTaken(told)} from ${listInWords(origins)}`,
    note: `before: ${examples(told).join('; ')}`,
    ...(worst === 'warning' && {
      fix: { text: 'give it a larger matchingPrecedence than theirs, or narrower subjects' },
    }),
  }
}

/** `heartbeats of nodes and requests of the kube-scheduler`. */
function whatIsTaken(captured: readonly Capture[]): string {
  const classes = [...new Set(captured.map(({ traffic }) => traffic))]
  const titles = classes.filter(({ vital }) => vital).map(({ title }) => title)
  const senders = classes.filter(({ vital }) => !vital).map(({ sender }) => sender)
  return listInWords(senders.length === 0 ? titles : [...titles, `requests of ${listInWords(senders)}`])
}

/** Requests with where they land without the given objects, one for each schema that loses some. */
function examples(captured: readonly Capture[]): string[] {
  const bySchema = new Map<EffectiveSchema, Capture>()
  for (const capture of captured) if (!bySchema.has(capture.from)) bySchema.set(capture.from, capture)
  return [...bySchema.values()]
    .slice(0, EXAMPLES_SHOWN)
    .map(({ from, witness }) => `${linePhrase(witness)} in ${from.level.metadata.name}`)
}

/** How much it matters that these requests go another way. */
function severityOf({ traffic, identity, from, to }: Capture): Severity {
  if (to.level === from.level || to.level.spec.type === 'Exempt') return 'info'
  if (traffic.vital) return 'warning'
  const isNamed = to.schema.spec.rules.some(({ subjects }) =>
    subjects.some((subject) => subjectMatches(subject, identity) && namesSystem(subject)),
  )
  return isNamed ? 'info' : 'warning'
}

/** Whether a subject cannot but mean clients of the system. */
function namesSystem({ kind, user, group, serviceAccount }: Subject): boolean {
  if (kind === 'ServiceAccount') return serviceAccount?.namespace === 'kube-system'
  if (kind === 'Group') return ['system:nodes', 'system:serviceaccounts:kube-system'].includes(group?.name ?? '')
  return user !== null && user.name !== '*' && (user.name.startsWith('system:') || serviceAccountOf(user.name) !== null)
}
