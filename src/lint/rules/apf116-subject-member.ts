import { both, schemaWith } from '../refusal-examples.ts'
import { refusalFindings } from '../refusals.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF116',
  name: 'subject-member',
  severity: 'error',
  summary: 'A subject that does not hold what its kind says',
  documentation: {
    what:
      'A subject of kind User, Group or ServiceAccount without the member of that name, or with the member of another ' +
      'kind beside it.',
    why:
      'The server refuses the object. Subjects of RBAC, which have their name beside `kind`, are not subjects of a ' +
      'FlowSchema.',
    fix:
      'Write `kind: User` with `user: {name}`, `kind: Group` with `group: {name}`, or `kind: ServiceAccount` with ' +
      '`serviceAccount: {namespace, name}`.',
    fails: {
      defaults: '1.34',
      yaml: schemaWith('{kind: ServiceAccount,', '{kind: User,'),
    },
    passes: {
      defaults: '1.34',
      yaml: both({}),
    },
  },
  check: (context) => refusalFindings(context, 'APF116'),
})
