import { isWildcardList } from '../../apf/match.ts'
import { nameOf, type PathClause, pathClauses, quotedList } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF210',
  name: 'path-verb',
  severity: 'warning',
  summary: 'A non-resource rule names a verb that requests for paths never have',
  documentation: {
    what:
      'The verbs create, update, list, watch, deletecollection and proxy in a `nonResourceRules` entry. The verb of a request for ' +
      'a path is its HTTP method in lower case: get, post, put, patch, delete, head, options.',
    why:
      'The server accepts these verbs, and they match nothing. Of the HTTP methods only get, patch and delete may be named: post, ' +
      'put, head and options are matched by `*` alone, which is why `HEAD /healthz` is not taken by probes.',
    fix: 'Name get, or use `["*"]` for all methods.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[list]')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('[get]')) }),
    },
  },
  *check({ own }) {
    for (const clause of pathClauses(own.flowSchemas)) yield* findingsOf(clause)
  },
})

function exampleClause(verbs: string): string {
  return `\
nonResourceRules:
  - verbs: ${verbs}
    nonResourceURLs: [/metrics]
`
}

/** Verbs of resource requests that are no HTTP methods. What is neither, the server refuses. */
const RESOURCE_VERBS: readonly string[] = ['create', 'deletecollection', 'list', 'proxy', 'update', 'watch']

function* findingsOf({ schema, clause, path }: PathClause): Iterable<Finding> {
  if (isWildcardList(clause.verbs)) return
  const dead = clause.verbs.filter((verb) => RESOURCE_VERBS.includes(verb))
  if (dead.length === 0) return
  const all = dead.length === clause.verbs.length
  const instead = all
    ? { text: 'write verbs: ["get"], or ["*"] for all methods' }
    : { text: 'take them out, or write ["*"]' }
  yield {
    object: schema,
    path: [...path, 'verbs'],
    message: `${nameOf(schema)} names ${quotedList(dead)} for paths, whose verb is the HTTP method`,
    note: all ? 'the rule takes no request' : 'they match no request',
    fix: instead,
  }
}
