import { both, schemaWith } from '../refusal-examples.ts'
import { defineRule } from '../rule.ts'
import { writtenObjects } from '../written.ts'
import { misleadingScalars } from '../yaml-scalars.ts'

export default defineRule({
  id: 'APF130',
  name: 'yaml-scalar',
  severity: 'warning',
  summary: 'A value that YAML reads otherwise than it looks',
  documentation: {
    what:
      'Values without quotes that kubectl takes for something else than a reader would: `0500` is the octal number 320, ' +
      '`null` and `~` as a name are an empty text, `on:` and `y:` as keys are `true`. As information also what other ' +
      'YAML readers take otherwise than kubectl: `0o17`, `0x1F`, `0b11`, `1_000`, `1e3`, `.5`, `yes` and `on`. What ' +
      'then has the wrong type altogether is told by APF102.',
    why:
      'The object is accepted, and means another number. Other tools that read the file, in pipelines or editors, see ' +
      'yet another one.',
    fix: 'Write decimal numbers without leading zeros, `true` or `false`, and text in quotes.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('matchingPrecedence: 1500', 'matchingPrecedence: 01500'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  *check(context) {
    for (const object of writtenObjects(context)) yield* misleadingScalars(object)
  },
})
