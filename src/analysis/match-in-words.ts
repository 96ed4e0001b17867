/** The part of a rule that took a request, in a few words. */
import { describeSubject } from '../apf/explain.ts'
import { isWildcardList, nonResourceRuleMatches, resourceRuleMatches, subjectMatches } from '../apf/match.ts'
import type { NonResourceRule, PolicyRule, ResourceRule } from '../apf/objects.ts'
import type { Identity, RequestAttributes } from '../apf/request.ts'

const VALUES_SHOWN = 4

/**
 * The subject that is the caller and the clause that covers the request, such as
 * `group system:serviceaccounts, any verb, any resource, any namespace`.
 * @param rule  a rule that takes the request
 */
export function matchInWords(rule: PolicyRule, identity: Identity, request: RequestAttributes): string {
  const subject = rule.subjects.find((candidate) => subjectMatches(candidate, identity))
  const words = subject ? [describeSubject(subject)] : []
  if (request.isResourceRequest) {
    const clause = rule.resourceRules.find((candidate) => resourceRuleMatches(candidate, request))
    if (clause) words.push(...resourceClauseInWords(clause, request))
  } else {
    const clause = rule.nonResourceRules.find((candidate) => nonResourceRuleMatches(candidate, request))
    if (clause) words.push(...pathClauseInWords(clause))
  }
  return words.join(', ')
}

function resourceClauseInWords(clause: ResourceRule, request: RequestAttributes): string[] {
  const group = isWildcardList(clause.apiGroups)
    ? []
    : [
        valuesInWords(
          clause.apiGroups.map((name) => name || '"" (core)'),
          'API group',
        ),
      ]
  const scope =
    request.namespace === '' ? 'requests without a namespace' : valuesInWords(clause.namespaces, 'namespace')
  return [valuesInWords(clause.verbs, 'verb'), ...group, valuesInWords(clause.resources, 'resource'), scope]
}

function pathClauseInWords(clause: NonResourceRule): string[] {
  return [valuesInWords(clause.verbs, 'verb'), valuesInWords(clause.nonResourceURLs, 'path')]
}

function valuesInWords(values: readonly string[], what: string): string {
  if (isWildcardList(values)) return `any ${what}`
  const more = values.length > VALUES_SHOWN ? ` and ${values.length - VALUES_SHOWN} more` : ''
  return `${what}${values.length === 1 ? '' : 's'} ${values.slice(0, VALUES_SHOWN).join(', ')}${more}`
}
