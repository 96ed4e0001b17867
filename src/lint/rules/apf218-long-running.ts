import { bypassOf, regionOfSchema } from '../../analysis/rule-region.ts'
import type { FlowSchema } from '../../apf/objects.ts'
import type { VersionRules } from '../../apf/versions.ts'
import { isEmptyRegion, namedSets, PLANE_NAMES, type Region, subtractRegion } from '../../regions/region.ts'
import { PLAIN } from '../../regions/spaces.ts'
import { isEmpty, only, subtract } from '../../regions/string-set.ts'
import { nameOf } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF218',
  name: 'long-running',
  severity: 'warning',
  summary: 'A FlowSchema names long-running requests only, which its level cannot limit',
  documentation: {
    what:
      'A FlowSchema all of whose requests are long-running: exec, attach, portforward, proxy and log, which pass APF by, with and ' +
      'without `follow`; profiling below `/debug/pprof/`; before 1.22 watches as well. As information: a schema of watches alone, ' +
      'which hold their seats only until the first events have been sent.',
    why:
      'The server does not classify these requests at all, so the schema takes nothing and its level protects nothing. They are ' +
      'limited by nobody.',
    fix: 'Name the requests that are to be limited; long-running ones cannot be.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[pods/exec, pods/log]')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[pods, pods/eviction]')) }),
    },
  },
  *check({ own, rules }) {
    for (const schema of own.flowSchemas) {
      const finding = findingOf(schema, rules)
      if (finding !== null) yield finding
    }
  },
})

function exampleClause(resources: string): string {
  return `\
resourceRules:
  - verbs: [get, create]
    apiGroups: ['']
    resources: ${resources}
    namespaces: [shop]
`
}

function findingOf(schema: FlowSchema, rules: VersionRules): Finding | null {
  const region = regionOfSchema(schema)
  if (isEmptyRegion(region)) return null
  const path = ['spec', 'rules']
  const limited = subtractRegion(region, bypassOf(rules))
  if (isEmptyRegion(limited)) {
    const message = `${nameOf(schema)} names long-running requests only, which pass APF by: it takes nothing`
    return { object: schema, path, message, fix: { text: 'name requests that are not long-running' } }
  }
  if (!isWatchesOnly(limited)) return null
  const message = `${nameOf(schema)} takes watches only, which hold their seats just until the first events are sent`
  return { severity: 'info', object: schema, path, message }
}

const WATCH = only(PLAIN, ['watch'])

function isWatchesOnly(region: Region): boolean {
  return PLANE_NAMES.every((plane) =>
    region[plane].every((box) => isEmpty(subtract(namedSets(plane, box).verb, WATCH))),
  )
}
