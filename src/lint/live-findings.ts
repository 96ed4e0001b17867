/** What rules of the life cycle and of live state find, from the analysis that `status` uses as well. */
import { missingObjects, type StatusFinding, type StatusOfServer, serverFindings } from '../analysis/status.ts'
import type { Evidence, Finding, LintContext, RuleId } from './rule.ts'

/** What API servers tell, as far as it belongs to a rule. */
export function* serverFindingsOf(context: LintContext, rule: RuleId): Iterable<Finding> {
  const { evidence, complete, all, rules } = context
  if (evidence.servers.length === 0) return
  for (const found of serverFindings(evidence.servers, complete ? { ...all, rules } : null)) {
    if (found.rule === rule) yield findingOf(found)
  }
}

/** Missing default objects, where all objects are known and of the release in question. */
export function* missingFindings(context: LintContext, rule: RuleId): Iterable<Finding> {
  const { complete, all, rules, evidence } = context
  if (!complete || (evidence.release !== null && evidence.release.minor !== rules.minor)) return
  // A recording may have none of a kind because nobody was allowed to read it.
  if (all.flowSchemas.length === 0 || all.priorityLevels.length === 0) return
  for (const found of missingObjects({ ...all, rules })) if (found.rule === rule) yield findingOf(found)
}

function findingOf({ severity, message, object, fix }: StatusFinding): Finding {
  return {
    severity,
    object: null,
    ...(object !== null && { about: object }),
    path: [],
    message,
    ...(fix !== null && { fix: { text: fix } }),
  }
}

/** The API servers of the cluster itself that decide by fairness. */
export function limitingServers({ evidence }: LintContext): StatusOfServer[] {
  return evidence.servers.filter(({ server }) => server.mode.mode === 'APF' && server.component !== 'other-api-server')
}

/** Whether no API server decides by fairness, as far as is known. */
export function allOff({ servers }: Evidence): boolean {
  return (
    servers.length > 0 && servers.every(({ server }) => server.mode.mode !== 'APF' && server.mode.mode !== 'Unknown')
  )
}

/** Whether a server counts the requests of a level; before 1.28 it does not for `exempt`. */
export function countsRequests({ unknown }: StatusOfServer['server'], level: string): boolean {
  return !unknown.some(({ field }) => field === 'metrics' || field === `levels[${level}]`)
}

/** The level of that name, which may be gone. */
export function levelAbout(name: string, { all }: LintContext): Pick<Finding, 'object' | 'about'> {
  const object = all.priorityLevels.find(({ metadata }) => metadata.name === name) ?? null
  return { object, about: { kind: 'PriorityLevelConfiguration', name } }
}

/** The schema of that name, which may be gone. */
export function schemaAbout(name: string, { all }: LintContext): Pick<Finding, 'object' | 'about'> {
  const object = all.flowSchemas.find(({ metadata }) => metadata.name === name) ?? null
  return { object, about: { kind: 'FlowSchema', name } }
}
