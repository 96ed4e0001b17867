import { nameOf, type PathClause, pathClauses } from '../clauses.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { defineRule, type Finding } from '../rule.ts'

export default defineRule({
  id: 'APF211',
  name: 'path-pattern',
  severity: 'warning',
  summary: 'An entry of nonResourceURLs is a path that no non-resource request has',
  documentation: {
    what:
      'An entry of `nonResourceURLs` that is the path of resources (`/api/v1/pods`, `/apis/apps/v1/*`), or has a query (`?`) or a ' +
      'percent escape in it. As info: an entry `/healthz/*` or `/healthz/`, which does not cover `/healthz`.',
    why:
      'Requests for resources are matched by resourceRules alone, and paths are compared after decoding and without their query, ' +
      'so such an entry takes nothing.',
    fix: 'Name resources in resourceRules. `/healthz` covers the path and everything below it.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('/api/v1/pods')) }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({ rules: ruleYaml([REPORTER], exampleClause('/apis')) }),
    },
  },
  *check({ own }) {
    for (const clause of pathClauses(own.flowSchemas)) yield* findingsOf(clause)
  },
})

function exampleClause(path: string): string {
  return `\
nonResourceRules:
  - verbs: [get]
    nonResourceURLs: [${path}]
`
}

function* findingsOf({ schema, clause, path }: PathClause): Iterable<Finding> {
  const urls = clause.nonResourceURLs
  // A wildcard in any company covers every path.
  if (urls.includes('*')) return
  for (const [index, url] of urls.entries()) {
    const entryPath = [...path, 'nonResourceURLs', index]
    const dead = whyDead(url)
    if (dead !== null) {
      const message = `${nameOf(schema)} names path "${url}", which no non-resource request has: ${dead.why}`
      yield { object: schema, path: entryPath, message, fix: { text: dead.fix } }
    } else if (isFolderOnly(url, urls)) {
      const covered = url.replace(/\/\*?$/, '')
      yield {
        severity: 'info',
        object: schema,
        path: entryPath,
        message: `${nameOf(schema)} names path "${url}", which does not cover "${covered}" itself`,
        fix: { text: `write ${covered}, which covers both`, edits: [{ path: entryPath, set: covered }] },
      }
    }
  }
}

/** Why an entry that the server accepts takes nothing, or next to nothing. */
function whyDead(url: string): { why: string; fix: string } | null {
  if (url.includes('?')) return { why: 'the query is not part of the path', fix: 'leave the query out' }
  if (url.includes('%')) return { why: 'paths are compared after decoding', fix: 'write the characters themselves' }
  const [prefix, ...segments] = url.replace(/^\/|\/\*?$/g, '').split('/')
  // The segments of a discovery path: /api/VERSION, /apis/GROUP/VERSION.
  const discovery = prefix === 'api' ? 1 : prefix === 'apis' ? 2 : null
  if (discovery === null || segments.length < discovery) return null
  const fix = 'name the resources in resourceRules'
  if (segments.length > discovery) return { why: 'it is a path of resources', fix }
  return FOLDER.test(url) ? { why: 'the paths below it are those of resources', fix } : null
}

/** What covers only paths below it. */
const FOLDER = /^(\/.+)\/\*?$/

function isFolderOnly(url: string, urls: readonly string[]): boolean {
  const folder = FOLDER.exec(url)?.[1]
  return folder !== undefined && !urls.includes(folder) && !urls.includes('/') && !urls.includes('/*')
}
