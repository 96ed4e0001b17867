import { levelYaml } from '../examples.ts'
import { both } from '../refusal-examples.ts'
import { type Refusal, refusalFindings, type Said } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF119',
  name: 'second-exempt',
  severity: 'error',
  summary: 'A level of type Exempt that is not called exempt, or the other way round',
  documentation: {
    what:
      'A PriorityLevelConfiguration with `type: Exempt` under another name than `exempt`, or the level `exempt` with ' +
      'another type.',
    why: 'The server refuses the object: there is one exempt level. What is sent there has no limit at all.',
    fix: 'Make it a Limited level with the shares that its requests need. What must never wait goes to the level `exempt`.',
    fails: {
      defaults: '1.34',
      yaml: both({ level: exemptLevel() }),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF119', hint),
})

function hint({ object: { metadata }, error: { value } }: Refusal): Said {
  return metadata.name === 'exempt'
    ? { message: `type "${value}", but the level of this name must be of type Exempt` }
    : {
        message: 'type Exempt is for the level called exempt alone',
        fix: { text: 'make it Limited, or use the level exempt' },
      }
}

function exemptLevel(): string {
  return levelYaml('shop').replace(/type: Limited.*/s, 'type: Exempt\n')
}
