import { describe, expect, it } from 'vitest'
import { matchesFlowSchema, nonResourceRuleMatches, resourceRuleMatches, subjectMatches } from '../../src/apf/match.ts'
import type { NonResourceRule, ResourceRule } from '../../src/apf/objects.ts'
import type { Identity, RequestAttributes } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import {
  flowSchema,
  nonResourceRule,
  type RuleJson,
  resourceRule,
  type SubjectJson,
  subject,
} from '../support/objects.ts'
import { vectors } from './vectors.ts'

interface RequestInput {
  method: string
  url: string
}
interface Matches {
  matches: boolean
}

describe.each(vectors<{ user: Identity; subject: SubjectJson }, Matches>('classification', 'subjectMatch'))(
  'subject $input.subject for $input.user',
  ({ input, expected }) => {
    it('is or is not the caller, as upstream says', () =>
      expect(subjectMatches(subject(input.subject), input.user)).toBe(expected.matches))
  },
)

describe.each(
  vectors<RequestInput & { resourceRule: Partial<ResourceRule> }, Matches>('classification', 'resourceRuleMatch'),
)('$input.method $input.url and the rule $input.resourceRule', ({ input, expected }) => {
  it('match or not, as upstream says', () =>
    expect(resourceRuleMatches(resourceRule(input.resourceRule), parsed(input))).toBe(expected.matches))
})

describe.each(
  vectors<RequestInput & { nonResourceRule: Partial<NonResourceRule> }, Matches>(
    'classification',
    'nonResourceRuleMatch',
  ),
)('$input.method $input.url and the rule $input.nonResourceRule', ({ input, expected }) => {
  it('match or not, as upstream says', () =>
    expect(nonResourceRuleMatches(nonResourceRule(input.nonResourceRule), parsed(input))).toBe(expected.matches))
})

describe.each(
  vectors<RequestInput & { user: Identity; rules: RuleJson[] }, Matches>('classification', 'flowSchemaMatch'),
)('a FlowSchema: $note', ({ input, expected }) => {
  it('takes the request or not, as upstream says', () => {
    const schema = flowSchema({
      metadata: { name: 'x' },
      spec: { priorityLevelConfiguration: { name: 'x' }, rules: input.rules },
    })
    expect(matchesFlowSchema(schema, input.user, parsed(input)) !== null).toBe(expected.matches)
  })
})

function parsed({ method, url }: RequestInput): RequestAttributes {
  const request = requestInfo(method, url)
  if (isRefused(request)) throw new Error(`${method} ${url} is refused`)
  return request
}
