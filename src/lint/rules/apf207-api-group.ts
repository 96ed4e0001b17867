import { groupMeant, isOwnGroup, resourcesNamed } from '../../analysis/resource-facts.ts'
import { isWildcardList } from '../../apf/match.ts'
import { nameOf, type ResourceClause, replaceEntry, resourceClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF207',
  name: 'api-group',
  severity: 'warning',
  summary: 'An entry of apiGroups is no API group, so it matches no request',
  documentation: {
    what:
      'An entry of `apiGroups` that is a group with its version (`apps/v1`), a version alone (`v1`), the word `core`, a group cut ' +
      'short (`coordination`), in capitals or misspelt by a letter or two. The core group is written `""`. Groups that only the ' +
      'cluster can know, such as those of custom resources, are taken as they are.',
    why:
      'Groups are compared letter by letter with the group in the URL, which never has a version. The server accepts any text, ' +
      'and the rule takes nothing for that entry: its requests go where they went before.',
    fix: 'Write the group as `kubectl api-resources` shows it, without the version; the core group is `""`.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('apps/v1')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('apps')) }),
    },
  },
  *check({ own }) {
    for (const clause of resourceClauses(own.flowSchemas)) yield* findingsOf(clause)
  },
})

function exampleClause(group: string): string {
  return `\
resourceRules:
  - verbs: [list]
    apiGroups: [${group}]
    resources: [deployments]
    namespaces: [shop]
`
}

function* findingsOf({ schema, clause, path }: ResourceClause): Iterable<Finding> {
  if (isWildcardList(clause.apiGroups)) return
  for (const [index, group] of clause.apiGroups.entries()) {
    const fault = faultOf(group, clause.resources)
    if (fault === null) continue
    const entryPath = [...path, 'apiGroups', index]
    const { why, meant } = fault
    yield {
      object: schema,
      path: entryPath,
      message: `${nameOf(schema)} names API group "${group}", which no request has: ${why}`,
      ...(meant !== null && {
        fix: {
          text: `write "${meant}"`,
          edits: [replaceEntry(clause.apiGroups, entryPath, meant)],
        },
      }),
    }
  }
}

const VERSION = /^v\d+((alpha|beta)\d+)?$/

/** Why an entry is no group, and what it was meant to be; null where it may be one. */
function faultOf(group: string, resources: readonly string[]): { why: string; meant: string | null } | null {
  if (group === '*') return null
  const slash = group.indexOf('/')
  if (slash >= 0) {
    const before = group.slice(0, slash)
    return { why: 'groups stand without a version', meant: before === 'core' ? '' : before }
  }
  if (VERSION.test(group)) return { why: 'it is a version', meant: isCoreMeant(resources) ? '' : null }
  if (group.toLowerCase() === 'core') return { why: 'the core group is written ""', meant: '' }
  if (isOwnGroup(group)) return null
  const cut = cutOutGroup(group)
  if (cut !== null) return { why: `the group is ${cut} alone`, meant: cut }
  const meant = groupMeant(group)
  if (group !== group.toLowerCase()) return { why: 'groups are lower case', meant: meant ?? group.toLowerCase() }
  if (meant !== null && group !== '') return { why: `the group is ${meant}`, meant }
  // Groups of custom resources have a dot in their names.
  return group.includes('.')
    ? null
    : { why: 'it is no group of Kubernetes, and others have a dot in their names', meant }
}

/** Whether all of these are resources of the core group. */
function isCoreMeant(resources: readonly string[]): boolean {
  return resources.every((resource) => resourcesNamed(resource.replace(/\/.*/, '')).some(({ group }) => group === ''))
}

/** The group in `apps.v1`, or in `deployments.apps`. */
function cutOutGroup(text: string): string | null {
  const labels = text.split('.')
  const withoutVersion = labels.slice(0, -1).join('.')
  if (VERSION.test(labels.at(-1) ?? '') && isOwnGroup(withoutVersion)) return withoutVersion
  const withoutResource = labels.slice(1).join('.')
  const isResource = resourcesNamed(labels[0] ?? '').some(({ group }) => group === withoutResource)
  return isResource && withoutResource !== '' ? withoutResource : null
}
