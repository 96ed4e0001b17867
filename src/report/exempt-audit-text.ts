/** Who bypasses fairness, for people. */
import type { Breadth } from '../analysis/breadth.ts'
import type { DanglingAudit, ExemptRule, TakenByRule } from '../analysis/exempt-audit.ts'
import { condensedList } from '../analysis/who.ts'
import { NO_REQUEST, type Region, uniteRegions } from '../regions/region.ts'
import type { Column } from '../ui/table.ts'
import type { DanglingEntry, ExemptAudit, ExemptEntry, MastersSource, ObservedUser } from './exempt-audit-contract.ts'
import { NO_LIMITS, requestsInWords, type WordLimits } from './region-words.ts'

/** What is asked about; null: both. */
export type AuditedPart = 'exempt' | 'dangling' | null

/**
 * `3 FlowSchemas bypass fairness; 1 is yours and outside of the policy`, a line for each part.
 * @param subject  the one who is asked about; null: everybody
 */
export function auditVerdict(audit: ExemptAudit, only: AuditedPart, subject: string | null): string[] {
  const { entries, dangling, policy } = audit
  const ofExempt = subject === null ? exemptVerdict(entries, policy).join('; ') : subjectVerdict(entries, subject)
  return [...(only === 'dangling' ? [] : [ofExempt]), ...(only === 'exempt' ? [] : danglingVerdict(dangling, only))]
}

function subjectVerdict(entries: readonly ExemptEntry[], subject: string): string {
  const schemas = [...new Set(entries.map(({ flowSchema }) => flowSchema))]
  return schemas.length === 0 ? `${subject} is never exempt` : `${subject} is exempt through ${schemas.join(', ')}`
}

function exemptVerdict(entries: readonly ExemptEntry[], policy: ExemptAudit['policy']): string[] {
  const taking = entries.filter(({ extent }) => extent !== 'nothing')
  const isOwn = ({ maintainedBy }: ExemptEntry) => maintainedBy === null
  const [total, own] = [countSchemas(taking), countSchemas(taking.filter(isOwn))]
  const outside = countSchemas(entries.filter(({ allowed }) => allowed === false))
  const all = countSchemas(entries.filter(isOwn))
  const overspent = isOverBudget(entries, policy)
  return [
    `${total} ${total === 1 ? 'FlowSchema bypasses' : 'FlowSchemas bypass'} fairness`,
    own === 0
      ? 'none is yours'
      : `${own} ${own === 1 ? 'is' : 'are'} yours${policy === null ? '' : policyInWords(own, outside, overspent)}`,
    ...(all > own
      ? [
          `${all - own} more of yours ${all - own === 1 ? 'leads' : 'lead'} to exempt and ${all - own === 1 ? 'takes' : 'take'} nothing`,
        ]
      : []),
    ...(overspent ? [`of yours the budget allows ${policy?.budget}`] : []),
  ]
}

function isOverBudget(entries: readonly ExemptEntry[], policy: ExemptAudit['policy']): boolean {
  const own = countSchemas(entries.filter(({ maintainedBy }) => maintainedBy === null))
  return policy !== null && policy.budget !== null && own > policy.budget
}

function policyInWords(own: number, outside: number, overspent: boolean): string {
  if (outside === 0) return overspent ? '' : ', as the policy allows'
  return outside === own ? ' and outside of the policy' : `, ${outside} outside of the policy`
}

function countSchemas(entries: readonly { flowSchema: string }[]): number {
  return new Set(entries.map(({ flowSchema }) => flowSchema)).size
}

function danglingVerdict(dangling: readonly DanglingEntry[], only: AuditedPart): string[] {
  const reasons = [...new Set(dangling.map(({ because }) => because))]
  const takes = dangling.length === 1 ? 'FlowSchema takes' : 'FlowSchemas take'
  if (reasons.length > 0) return [`${dangling.length} ${takes} nothing: ${reasons.join('; ')}`]
  return only === 'dangling' ? ['every FlowSchema has its priority level'] : []
}

const LIMITS: WordLimits = { phrases: 3, names: 4 }

export interface ExemptRow {
  entry: ExemptEntry
  audited: ExemptRule
}

const BREADTHS: Readonly<Record<Breadth, string>> = {
  'one-identity': 'one identity',
  'several-identities': 'several identities',
  namespace: 'namespace',
  group: 'group',
  'all-service-accounts': 'all ServiceAccounts',
  'all-authenticated': 'all authenticated',
  everyone: 'everyone',
}

/** @param bypass  what no FlowSchema takes */
export function exemptColumns({ entries, policy }: ExemptAudit, bypass: Region, wide: boolean): Column<ExemptRow>[] {
  const overspent = isOverBudget(entries, policy)
  return [
    { header: 'FLOWSCHEMA', value: ({ entry }) => entry.flowSchema },
    { header: 'PRECEDENCE', align: 'right', value: ({ entry }) => entry.matchingPrecedence },
    { header: 'RULE', align: 'right', wide: true, value: ({ entry }) => entry.ruleIndex ?? '-' },
    { header: 'WHO', cuts: true, value: ({ audited }) => whoInWords(audited, wide) },
    { header: 'WHAT', cuts: true, value: ({ audited }) => whatInWords(audited, bypass, wide) },
    { header: 'BREADTH', value: ({ entry }) => (entry.breadth === null ? '-' : BREADTHS[entry.breadth]) },
    { header: 'ALLOWED', value: ({ entry }) => allowedInWords(entry, overspent) },
    { header: 'WHERE', wide: true, value: ({ entry }) => placeInWords(entry) },
  ]
}

/** Of a rule that takes nothing, whom it names. */
function whoInWords({ subjects }: Pick<TakenByRule, 'subjects'>, all: boolean): string {
  const taking = subjects.filter(({ takes }) => takes)
  return condensedList(
    (taking.length > 0 ? taking : subjects).map(({ subject }) => subject),
    all,
  )
}

function whatInWords({ extent, shares, coveredBy }: TakenByRule, bypass: Region, all: boolean): string {
  if (extent === 'undecided') return 'not known: too many combinations'
  if (extent !== 'nothing') {
    const requests = shares.map((share) => share.requests).reduce(uniteRegions, NO_REQUEST)
    return requestsInWords(requests, all ? NO_LIMITS : LIMITS, bypass)
  }
  return coveredBy.length === 0 ? 'nothing' : `nothing: taken by ${coveredBy.join(', ')}`
}

function allowedInWords({ allowed, why, maintainedBy }: ExemptEntry, overspent: boolean): string {
  if (maintainedBy !== null) return maintainedBy
  if (allowed === null) return '-'
  if (!allowed) return `no: ${why}`
  return overspent ? 'over budget' : 'yes'
}

function placeInWords({ file, line }: Pick<ExemptEntry, 'file' | 'line'>): string {
  return [file, line].filter((part) => part !== null).join(':')
}

export interface DanglingRow {
  entry: DanglingEntry
  audited: DanglingAudit
}

/** @param bypass  what no FlowSchema takes */
export function danglingColumns(bypass: Region, wide: boolean): Column<DanglingRow>[] {
  return [
    { header: 'DANGLING', value: ({ entry }) => entry.flowSchema },
    { header: 'PRECEDENCE', align: 'right', value: ({ entry }) => entry.matchingPrecedence },
    { header: 'LEVEL', value: ({ entry }) => levelInWords(entry) },
    {
      header: 'WHO',
      cuts: true,
      value: ({ audited }) => whoInWords({ subjects: audited.rules.flatMap(({ subjects }) => subjects) }, wide),
    },
    {
      header: 'WOULD TAKE',
      cuts: true,
      value: ({ audited }) => [...new Set(audited.rules.map((rule) => whatInWords(rule, bypass, wide)))].join('; '),
    },
    { header: 'LANDS NOW IN', value: ({ entry }) => landsNowInWords(entry) },
    { header: 'WHERE', wide: true, value: ({ entry }) => placeInWords(entry) },
  ]
}

function levelInWords({ priorityLevel, didYouMean }: DanglingEntry): string {
  const name = priorityLevel || '""'
  return didYouMean === null ? name : `${name} (meant ${didYouMean}?)`
}

function landsNowInWords({ landsNow }: DanglingEntry): string {
  const levels = [...new Set(landsNow.map(({ priorityLevel }) => priorityLevel))]
  return levels.length === 0 ? '-' : levels.join(', ')
}

/** What runs as the ServiceAccounts that own rules exempt, a line each. */
export function runningLines(entries: readonly ExemptEntry[]): string[] {
  return entries.flatMap(({ flowSchema, running }) => {
    if (running === null) return []
    const { serviceAccounts, workloads } = running
    const accounts = serviceAccounts === null ? [] : [`${flowSchema}: ${existingInWords(serviceAccounts)}`]
    const runs = workloads?.map(({ kind, namespace, name, serviceAccount, pods }) => {
      const count = pods === 1 ? '1 pod' : `${pods} pods`
      return `  ${kind} ${namespace}/${name} runs as ${serviceAccount} (${count})`
    })
    const none = workloads?.length === 0 ? ['  no pod runs as one of them'] : []
    return [...accounts, ...(runs ?? []), ...none]
  })
}

const ACCOUNTS_SHOWN = 8

function existingInWords(names: readonly string[]): string {
  if (names.length === 0) return 'none of its ServiceAccounts exists'
  const shown = names.slice(0, ACCOUNTS_SHOWN).join(', ')
  const more = names.length > ACCOUNTS_SHOWN ? ` and ${names.length - ACCOUNTS_SHOWN} more` : ''
  return names.length === 1 ? `ServiceAccount ${shown} exists` : `ServiceAccounts ${shown}${more} exist`
}

/** Sources of membership in system:masters, a line each. */
export function mastersLines(masters: readonly MastersSource[]): string[] {
  if (masters.length === 0) return []
  const cannot = 'members of group system:masters cannot be listed: it comes with the credential. Known sources:'
  return [cannot, ...masters.map(({ message }) => `  ${message}`)]
}

/** Who was seen executing, a line each. */
export function observedLines(observed: readonly ObservedUser[] | null): string[] {
  if (observed === null) return []
  if (observed.length === 0) return ['nobody was executing in exempt levels at that moment']
  return observed.map(({ server, user, flowSchema, requests }) => {
    const count = requests === 1 ? '1 request' : `${requests} requests`
    return `${user} was executing ${count} through ${flowSchema} on ${server}`
  })
}
