import { REPORTER, ruleYaml, schemaYaml } from '../examples.ts'
import { both } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF118',
  name: 'invalid-path',
  severity: 'error',
  summary: 'A malformed entry of nonResourceURLs',
  documentation: {
    what:
      'An entry that does not begin with `/`, has a space, an empty part (`//`), or a `*` anywhere but as its whole ' +
      'last part.',
    why: 'The server refuses the object.',
    fix: 'Write a path such as `/healthz`, `/debug/*` for all below a path, or `*` alone for all paths.',
    fails: {
      defaults: '1.34',
      yaml: both({ schema: probes('[healthz]') }),
    },
    passes: {
      defaults: '1.34',
      yaml: both({ schema: probes('[/healthz]') }),
    },
  },
  check: (context) => refusalFindings(context, 'APF118', hint),
})

function probes(urls: string): string {
  const rules = ruleYaml([REPORTER], `nonResourceRules:\n  - verbs: [get]\n    nonResourceURLs: ${urls}\n`)
  return schemaYaml({ level: 'shop', rules })
}

function hint({ error: { detail, value } }: Refusal): Said {
  return detail === 'must start with slash' ? { fix: { text: `write "/${value}"` } } : {}
}
