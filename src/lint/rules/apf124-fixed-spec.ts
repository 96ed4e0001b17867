import { mandatoryObjects, type ObjectSet } from '../../apf/defaults/index.ts'
import type { ApfObject } from '../../apf/objects.ts'
import { type FieldPath, formatFieldPath } from '../../apf/problem.ts'
import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { both } from '../refusal-examples.ts'
import { refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF124',
  name: 'fixed-spec',
  severity: 'error',
  summary: 'Another spec for an object whose spec the server does not let change',
  documentation: {
    what:
      'A FlowSchema or a level called `exempt` or `catch-all` with another spec than the built-in one. Of the level ' +
      '`exempt` the shares and the lendable percentage are free from 1.28 on; labels and annotations are free ' +
      'everywhere.',
    why: 'The server refuses the object: these four are mandatory, and a server holds them even where they were deleted.',
    fix: 'Leave the object out, or write a schema or level of another name.',
    fails: {
      defaults: '1.34',
      yaml: exemptSchema(),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    const builtIn = mandatoryObjects(context.rules)
    yield* refusalFindings(context, 'APF124', ({ object }) => differences(object, builtIn))
  },
})

function exemptSchema(): string {
  const rules = ruleYaml([REPORTER], "nonResourceRules:\n  - verbs: ['*']\n    nonResourceURLs: ['*']\n")
  return schemaYaml({ name: 'exempt', precedence: 1, level: 'exempt', distinguisher: null, rules })
}

function differences(object: ApfObject, { flowSchemas, priorityLevels }: ObjectSet): Said {
  const originals: readonly ApfObject[] = object.kind === 'FlowSchema' ? flowSchemas : priorityLevels
  const original = originals.find(({ metadata }) => metadata.name === object.metadata.name)
  if (original === undefined) return {}
  const paths = differingPaths(object.spec, original.spec, ['spec'])
  const list = paths.slice(0, MOST_PATHS).map(formatFieldPath).join(', ')
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more fields` : ''
  return {
    message: `the spec of this ${object.kind} is fixed, it must be that of the built-in object`,
    note: `it differs from the built-in object in ${list}${more}`,
    fix: { text: `leave ${object.metadata.name} out, or choose another name` },
  }
}

const MOST_PATHS = 4

/** The deepest fields in which two values differ; of lists of different length the list. */
function differingPaths(a: unknown, b: unknown, path: FieldPath): FieldPath[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b ? [] : [path]
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return [path]
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return keys.flatMap((key) =>
    differingPaths(Reflect.get(a, key), Reflect.get(b, key), [...path, Array.isArray(a) ? Number(key) : key]),
  )
}
