/**
 * Who bypasses fairness: the rules that lead to an exempt level, with what each really takes, and the FlowSchemas that lead
 * nowhere, with what they would have taken.
 */
import { mandatoryObjects } from '../apf/defaults/index.ts'
import type { FlowSchema, PriorityLevelConfiguration, Subject } from '../apf/objects.ts'
import {
  bySchemaOrder,
  type DanglingSchema,
  type EffectiveConfiguration,
  type EffectiveSchema,
  effectiveConfiguration,
} from '../apf/order.ts'
import type { VersionRules } from '../apf/versions.ts'
import { type IdentityCube, subjectIdentities } from '../regions/identity.ts'
import { EVERY_REQUEST, type Region } from '../regions/region.ts'
import { bypassRegion } from '../regions/rules.ts'
import { intersect, isEmpty } from '../regions/string-set.ts'
import type { RequestLine } from '../regions/witness.ts'
import { type Breadth, breadthOfIdentities, breadthOfSubjects } from './breadth.ts'
import { type Extent, type RuleReach, reachOf, type Share } from './reach.ts'
import { regionOfRule } from './rule-region.ts'

/** The rules that lead to an exempt level, and the FlowSchemas that lead nowhere. */
export interface ExemptAudit {
  /** In server order, rule by rule. */
  entries: ExemptRule[]
  /** At their would-be places. */
  dangling: DanglingAudit[]
  /** What no FlowSchema takes, as it is long-running. */
  bypass: Region
}

/** What a rule takes, or would take. */
export interface TakenByRule {
  /** Null for a FlowSchema without rules, which takes nothing. */
  ruleIndex: number | null
  extent: Extent
  shares: readonly Share[]
  witness: RequestLine | null
  /** Of a rule that takes nothing: the earlier FlowSchemas that take all of it. */
  coveredBy: readonly string[]
  /** Of those it takes something of; of a rule that takes nothing, of those it names. Null where that is nobody. */
  breadth: Breadth | null
  subjects: AuditedSubject[]
}

export interface AuditedSubject {
  subject: Subject
  /** False: earlier FlowSchemas take everything of it. */
  takes: boolean
}

export interface ExemptRule extends TakenByRule {
  entry: EffectiveSchema
}

/** A FlowSchema without a usable level. */
export interface DanglingAudit {
  dangling: DanglingSchema
  /** Rules that would take something if the level existed, this FlowSchema alone being mended. */
  rules: TakenByRule[]
  /** Where what it would take lands now, in server order. */
  landsNow: EffectiveSchema[]
}

export interface AuditOptions {
  rules: VersionRules
  /** Only what these identities ask; absent: everybody. */
  identities?: readonly IdentityCube[]
}

export interface AuditedObjects {
  flowSchemas: readonly FlowSchema[]
  priorityLevels: readonly PriorityLevelConfiguration[]
}

/** Audits objects as a server has them in force, for callers that authenticate themselves. */
export function auditExempt(objects: AuditedObjects, options: AuditOptions): ExemptAudit {
  const configuration = effectiveConfiguration(objects.flowSchemas, objects.priorityLevels, options.rules)
  return {
    entries: exemptRules(configuration, options),
    dangling: configuration.dangling.map((dangling) => auditDangling(dangling, objects, configuration, options)),
    bypass: bypassRegion(options.rules),
  }
}

// Exempt

function exemptRules(configuration: EffectiveConfiguration, options: AuditOptions): ExemptRule[] {
  const exempt = configuration.order.filter(({ level }) => level.spec.limited === null)
  const reaches = reachOf(configuration, {
    identities: 'authenticated',
    rules: options.rules,
    schemas: new Set(exempt.map(({ schema }) => schema.metadata.name)),
    ...within(options),
  })
  return reaches.flatMap(({ entry, rules }) => {
    if (rules.length === 0) return [{ entry, ...NOTHING }]
    return rules.map((reach) => ({ entry, ...takenByRule(entry.schema, reach) }))
  })
}

const NOTHING: TakenByRule = {
  ruleIndex: null,
  extent: 'nothing',
  shares: [],
  witness: null,
  coveredBy: [],
  breadth: null,
  subjects: [],
}

function within({ identities }: AuditOptions): { within?: Share } {
  return identities === undefined ? {} : { within: { identities, requests: EVERY_REQUEST } }
}

function takenByRule({ spec }: FlowSchema, reach: RuleReach): TakenByRule {
  const rule = spec.rules[reach.ruleIndex]
  if (rule === undefined) throw new Error(`no rule ${reach.ruleIndex}`)
  const identities = reach.shares.flatMap((share) => share.identities)
  const subjects = rule.subjects.map((subject) => ({ subject, takes: isAmong(subject, identities) }))
  const breadth = identities.length === 0 ? breadthOfSubjects(rule.subjects) : breadthOfIdentities(identities)
  const { ruleIndex, extent, shares, witness } = reach
  // Who takes the rest of what a rule names is worth its price only where nothing is left.
  const coveredBy = extent === 'nothing' ? reach.coveredBy : []
  return { ruleIndex, extent, shares, witness, coveredBy, breadth, subjects }
}

function isAmong(subject: Subject, identities: readonly IdentityCube[]): boolean {
  return subjectIdentities(subject).some((own) => identities.some((taken) => overlap(own, taken)))
}

function overlap(a: IdentityCube, b: IdentityCube): boolean {
  const apart = a.has.some((group) => b.lacks.includes(group)) || b.has.some((group) => a.lacks.includes(group))
  return !apart && !isEmpty(intersect(a.users, b.users))
}

// Dangling

function auditDangling(
  dangling: DanglingSchema,
  { flowSchemas, priorityLevels }: AuditedObjects,
  configuration: EffectiveConfiguration,
  options: AuditOptions,
): DanglingAudit {
  const { name } = dangling.schema.metadata
  const levelName = dangling.schema.spec.priorityLevelConfiguration.name
  const others = configuration.dangling.map(({ schema }) => schema.metadata.name).filter((other) => other !== name)
  const mended = effectiveConfiguration(
    flowSchemas.filter(({ metadata }) => !others.includes(metadata.name)),
    [
      ...priorityLevels.filter(({ metadata }) => metadata.name !== levelName),
      usableLevel(levelName, configuration, options.rules),
    ],
    options.rules,
  )
  const [reach] = reachOf(mended, {
    identities: 'authenticated',
    rules: options.rules,
    schemas: new Set([name]),
    ...within(options),
  })
  const rules = (reach?.rules ?? []).map((rule) => takenByRule(dangling.schema, rule))
  return { dangling, rules, landsNow: landingsOf(dangling, rules, configuration, options) }
}

/** Who takes what the rules of a FlowSchema name, of those behind it: what those before it take it would not get. */
function landingsOf(
  { schema }: DanglingSchema,
  rules: readonly TakenByRule[],
  configuration: EffectiveConfiguration,
  { rules: versionRules, identities }: AuditOptions,
): EffectiveSchema[] {
  const behind = configuration.order.filter((entry) => bySchemaOrder(schema, entry.schema) < 0)
  const names = new Set(behind.map((entry) => entry.schema.metadata.name))
  const landings = new Set<EffectiveSchema>()
  for (const { ruleIndex, extent } of rules) {
    const rule = ruleIndex === null ? undefined : schema.spec.rules[ruleIndex]
    if (rule === undefined || extent === 'nothing') continue
    const within = {
      identities: identities ?? rule.subjects.flatMap(subjectIdentities),
      requests: regionOfRule(rule),
    }
    const reaches = reachOf(configuration, { identities: 'authenticated', rules: versionRules, within, schemas: names })
    for (const { entry, witness } of reaches) if (witness !== null) landings.add(entry)
  }
  return behind.filter((entry) => landings.has(entry))
}

/** Any level that can be used under this name. */
function usableLevel(
  name: string,
  { catchAll }: EffectiveConfiguration,
  rules: VersionRules,
): PriorityLevelConfiguration {
  const mandatory = mandatoryObjects(rules).priorityLevels.find(({ metadata }) => metadata.name === name)
  return mandatory ?? { ...catchAll.level, metadata: { ...catchAll.level.metadata, name } }
}
