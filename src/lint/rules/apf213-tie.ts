import { linePhrase } from '../../analysis/line-phrase.ts'
import { regionOfCaller } from '../../analysis/rule-region.ts'
import { SubjectIndex } from '../../analysis/subject-index.ts'
import { landingsOf } from '../../analysis/system-traffic.ts'
import { typicalIdentity } from '../../analysis/typical-identity.ts'
import type { EffectiveSchema } from '../../apf/order.ts'
import type { Identity } from '../../apf/request.ts'
import type { RequestLine } from '../../regions/witness.ts'
import { idleSchemas } from '../authenticated-reach.ts'
import { nameOf, subjectClauses } from '../clauses.ts'
import { LISTS_OF_PODS, ruleYaml, schemaYaml } from '../examples.ts'
import { routingViews } from '../routing-views.ts'
import { defineRule, type Finding, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF213',
  name: 'tie',
  severity: 'warning',
  summary: 'Two FlowSchemas of one precedence match the same requests, and their names decide',
  documentation: {
    what:
      'A FlowSchema with the matchingPrecedence of another one in force, where some requests of the same caller match both. A ' +
      'warning where the other one takes them, information where this one does, or where both send them to the same level.',
    why:
      'Of equal precedences the name that comes first in byte order wins. Nobody reads names that way: a rename, or a schema that ' +
      'an upgrade adds, moves the requests without a word.',
    fix: 'Choose a matchingPrecedence that no other schema has, smaller than that of the one that must not win.',
    fails: {
      defaults: '1.34',
      yaml: schemaYaml({
        name: 'shop-reports',
        precedence: 9000,
        rules: ruleYaml(['{kind: Group, group: {name: "system:authenticated"}}'], LISTS_OF_PODS),
        level: 'workload-high',
      }),
    },
    passes: {
      defaults: '1.34',
      yaml: schemaYaml({
        name: 'shop-reports',
        precedence: 8500,
        rules: ruleYaml(['{kind: Group, group: {name: "system:authenticated"}}'], LISTS_OF_PODS),
        level: 'workload-high',
      }),
    },
  },
  *check(context) {
    for (const view of routingViews(context)) yield* findings(view)
  },
})

function* findings(context: LintContext): Iterable<Finding> {
  const idle = idleSchemas(context)
  for (const tie of ties(context)) {
    const { winner, loser } = tie
    // A schema that takes nothing at all has a finding of its own.
    if (isOwn(loser, context) && !idle.has(loser.schema)) yield lostTo(tie)
    else if (isOwn(winner, context) && !isOwn(loser, context)) yield wonAgainst(tie)
  }
}

interface Tie {
  winner: EffectiveSchema
  loser: EffectiveSchema
  /** A request that both match and the winner takes. */
  witness: RequestLine
}

const PATH = ['spec', 'matchingPrecedence'] as const

function lostTo({ winner, loser, witness }: Tie): Finding {
  const { schema } = loser
  const sameLevel = winner.level === loser.level
  return {
    ...(sameLevel && { severity: 'info' }),
    object: schema,
    path: PATH,
    message: `${nameOf(schema)} ties with ${winner.schema.metadata.name} at ${schema.spec.matchingPrecedence}, whose name comes first: it takes what both match`,
    note: `for example ${linePhrase(witness)}, into ${winner.level.metadata.name} instead of ${loser.level.metadata.name}`,
    fix: { text: `choose a matchingPrecedence below ${schema.spec.matchingPrecedence} that no other schema has` },
  }
}

function wonAgainst({ winner, loser, witness }: Tie): Finding {
  const { schema } = winner
  return {
    severity: 'info',
    object: schema,
    path: PATH,
    message: `${nameOf(schema)} ties with ${loser.schema.metadata.name} at ${schema.spec.matchingPrecedence} and takes what both match, only for its name`,
    note: `for example ${linePhrase(witness)}`,
    fix: {
      text: `choose a matchingPrecedence below ${schema.spec.matchingPrecedence}, so that a rename changes nothing`,
    },
  }
}

function isOwn(entry: EffectiveSchema, { own }: LintContext): boolean {
  return own.flowSchemas.includes(entry.schema)
}

/** Pairs with an own schema in them of which the first takes what both match of somebody as he occurs. Each once. */
function ties(context: LintContext): Tie[] {
  const found = new Map<string, Tie>()
  for (const bucket of buckets(context)) {
    const index = new SubjectIndex(bucket)
    for (const identity of identitiesOf(bucket)) {
      const named = index.naming(identity)
      for (const [place, loser] of named.entries()) {
        for (const winner of named.slice(0, place)) {
          const key = JSON.stringify([winner.schema.metadata.name, loser.schema.metadata.name])
          if (found.has(key) || (!isOwn(winner, context) && !isOwn(loser, context))) continue
          const witness = takenOfBoth(winner, loser, identity, context)
          if (witness !== null) found.set(key, { winner, loser, witness })
        }
      }
    }
  }
  return [...found.values()]
}

/** Schemas of one precedence, where there are several. The server's stand-ins keep their places whatever theirs says. */
function buckets({ configuration }: LintContext): EffectiveSchema[][] {
  const byPrecedence = new Map<number, EffectiveSchema[]>()
  for (const entry of configuration.order) {
    if (entry.builtIn) continue
    const precedence = entry.schema.spec.matchingPrecedence
    const bucket = byPrecedence.get(precedence)
    if (bucket) bucket.push(entry)
    else byPrecedence.set(precedence, [entry])
  }
  return [...byPrecedence.values()].filter(({ length }) => length > 1)
}

/** Somebody for each subject, each once. */
function identitiesOf(entries: readonly EffectiveSchema[]): Identity[] {
  const byKey = new Map<string, Identity>()
  for (const { subject } of subjectClauses(entries.map(({ schema }) => schema))) {
    const identity = typicalIdentity(subject)
    if (identity !== null) byKey.set(JSON.stringify(identity), identity)
  }
  return [...byKey.values()]
}

function takenOfBoth(
  winner: EffectiveSchema,
  loser: EffectiveSchema,
  identity: Identity,
  { configuration, rules }: LintContext,
): RequestLine | null {
  const wanted = regionOfCaller(loser.schema, identity)
  const landing = landingsOf(wanted, identity, configuration, rules).find(({ entry }) => entry === winner)
  return landing?.witness ?? null
}
