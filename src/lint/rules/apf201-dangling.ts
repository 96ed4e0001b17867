import { regionOfCaller } from '../../analysis/rule-region.ts'
import { landingsOf } from '../../analysis/system-traffic.ts'
import { typicalIdentity } from '../../analysis/typical-identity.ts'
import type { FlowSchema } from '../../apf/objects.ts'
import type { DanglingSchema } from '../../apf/order.ts'
import { nearest } from '../../apf/suggest.ts'
import { nameOf, subjectClauses } from '../clauses.ts'
import { LISTS_OF_PODS, REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { isRefused } from '../refusals.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF201',
  name: 'dangling',
  severity: 'error',
  summary: 'A FlowSchema sends its requests to a priority level that does not exist',
  documentation: {
    what:
      'A FlowSchema whose `spec.priorityLevelConfiguration.name` is the name of no usable PriorityLevelConfiguration. Names are ' +
      'compared letter by letter, upper and lower case included. Where the given files may not be all there is, the finding is a ' +
      'warning; `--complete` says that they are. A level that is there, but that the server refuses, has findings of its own.',
    why:
      'The server accepts such a FlowSchema and sets a condition that nobody looks at. Until the level exists the schema takes ' +
      'nothing: its requests fall through to the schemas behind it, often into a level that everybody shares.',
    fix: 'Name a level that exists, or apply the level before the FlowSchema.',
    fails: { defaults: '1.34', yaml: schemaYaml({ level: 'workload-lo', rules: ruleYaml([REPORTER], LISTS_OF_PODS) }) },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ level: 'workload-low', rules: ruleYaml([REPORTER], LISTS_OF_PODS) }),
    },
  },
  *check(context) {
    const refused = refusedLevels(context)
    for (const dangling of context.configuration.dangling) {
      const { schema } = dangling
      const level = schema.spec.priorityLevelConfiguration.name
      // Without a name of a level it is refused.
      if (!context.own.flowSchemas.includes(schema) || level === '' || refused.has(level)) continue
      yield findingOf(dangling, context)
    }
  },
})

const PATH = ['spec', 'priorityLevelConfiguration', 'name'] as const

/** Names of given levels that the server refuses, or that could not even be decoded. */
function refusedLevels(context: LintContext): ReadonlySet<string> {
  const undecoded = context.reading.flatMap(({ severity, object }) =>
    severity === 'error' && object?.kind === 'PriorityLevelConfiguration' ? [object.name] : [],
  )
  const refused = context.own.priorityLevels.filter((level) => isRefused(level, context))
  return new Set([...undecoded, ...refused.map(({ metadata }) => metadata.name)])
}

function findingOf(dangling: DanglingSchema, context: LintContext): Finding {
  const { schema, because, detail } = dangling
  const { complete, configuration } = context
  const level = schema.spec.priorityLevelConfiguration.name
  const subject = `${nameOf(schema)} sends its requests to level "${level}", which`
  const finding = { object: schema, path: PATH, note: consequence(schema, context) }
  if (because === 'malformed-level') return { ...finding, message: `${subject} no server would use: ${detail}` }
  const meant = nearest(level, [...configuration.levels.keys()])
  const hint = meant?.toLowerCase() === level.toLowerCase() ? '; names are compared in upper and lower case' : ''
  return {
    ...finding,
    severity: complete ? 'error' : 'warning',
    message: complete ? `${subject} does not exist` : `${subject} is not in the given files`,
    ...(meant !== null && { fix: { text: `did you mean "${meant}"?${hint}`, edits: [{ path: PATH, set: meant }] } }),
  }
}

/** Who takes the requests of the first subject meanwhile. */
function consequence(schema: FlowSchema, { configuration, rules }: LintContext): string {
  const [identity] = subjectClauses([schema]).flatMap(({ subject }) => typicalIdentity(subject) ?? [])
  const takers =
    identity === undefined
      ? []
      : landingsOf(regionOfCaller(schema, identity), identity, configuration, rules).map(({ entry }) => entry)
  // Probes and the like take a part of everything; the last one has the rest.
  const main = takers.at(-1)
  if (main === undefined) return 'until it exists, the schema takes nothing'
  const { metadata, spec } = main.schema
  return `until it exists, ${metadata.name} (${spec.matchingPrecedence}) takes them into ${main.level.metadata.name}`
}
