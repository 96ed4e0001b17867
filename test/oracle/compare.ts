/** Our answer to a request beside upstream's, in one form. */
import { type Classifier, classify, plainClassifier } from '../../src/apf/classify.ts'
import { compileClassifier } from '../../src/apf/compiled-classifier.ts'
import { decodeObject } from '../../src/apf/decode.ts'
import { formatHash } from '../../src/apf/flow.ts'
import { FLOWCONTROL_GROUP, type FlowSchema, type PriorityLevelConfiguration } from '../../src/apf/objects.ts'
import { type EffectiveConfiguration, effectiveConfiguration } from '../../src/apf/order.ts'
import type { RequestAttributes } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { compareBytes } from '../../src/apf/text.ts'
import type { VersionRules } from '../../src/apf/versions.ts'
import {
  type Configuration,
  type RequestLine,
  textOf,
  type UpstreamAnswer,
  type UpstreamAttributes,
} from './process.ts'

/** What both sides say of one request. Members that do not apply are null. */
export interface Verdict {
  outcome: string
  attributes: RequestAttributes | null
  schema: string | null
  level: string | null
  /** Schema and level are the server's own, as the objects are missing. */
  standIns: [schema: boolean, level: boolean] | null
  flow: { distinguisher: string; hash: string; hand: number[] } | null
}

export function upstreamVerdict(answer: UpstreamAnswer): Verdict {
  const { outcome, status, schema, level, hand, hash, distinguisher } = answer
  const classified = schema !== undefined && level !== undefined
  return {
    outcome: status === undefined ? outcome : `${outcome} ${status}`,
    attributes: answer.attributes ? attributesOf(answer.attributes) : null,
    schema: classified ? textOf(schema) : null,
    level: classified ? textOf(level) : null,
    standIns: classified ? [answer.schemaStandIn ?? false, answer.levelStandIn ?? false] : null,
    flow: hand ? { distinguisher: textOf(distinguisher), hash, hand } : null,
  }
}

function attributesOf(attributes: UpstreamAttributes): RequestAttributes {
  return {
    isResourceRequest: attributes.isResourceRequest,
    path: textOf(attributes.path),
    verb: textOf(attributes.verb),
    apiPrefix: textOf(attributes.apiPrefix),
    apiGroup: textOf(attributes.apiGroup),
    apiVersion: textOf(attributes.apiVersion),
    namespace: textOf(attributes.namespace),
    resource: textOf(attributes.resource),
    subresource: textOf(attributes.subresource),
    name: textOf(attributes.name),
    parts: attributes.parts.map(textOf),
  }
}

/** Our side for one configuration: the plain and the compiled classifier over the decoded objects. */
export class Ours {
  readonly #rules: VersionRules
  readonly #configuration: EffectiveConfiguration
  readonly #classifiers: readonly Classifier[]

  constructor(configuration: Configuration, rules: VersionRules) {
    this.#rules = rules
    this.#configuration = effective(configuration, rules)
    this.#classifiers = [plainClassifier(this.#configuration), compileClassifier(this.#configuration)]
  }

  levels(): string[] {
    return [...this.#configuration.levels.keys()].sort(compareBytes)
  }

  /** The verdicts of the plain and of the compiled classifier. */
  verdicts({ user, groups, method, url }: RequestLine): Verdict[] {
    const attributes = requestInfo(method, url)
    const unclassified = { schema: null, level: null, standIns: null, flow: null }
    if (isRefused(attributes)) {
      return [{ ...unclassified, outcome: `refused ${attributes.httpStatus}`, attributes: null }]
    }
    return this.#classifiers.map((classifier): Verdict => {
      const answer = classify(classifier, { name: user, groups }, attributes, this.#rules)
      if (answer.outcome === 'bypass') return { ...unclassified, outcome: 'bypass', attributes }
      const { entry, flow } = answer
      const level = entry.level.metadata.name
      return {
        outcome: 'classified',
        attributes,
        schema: entry.schema.metadata.name,
        level,
        standIns: [entry.builtIn, this.#configuration.standInLevels.includes(level)],
        flow: flow && { distinguisher: flow.distinguisher, hash: formatHash(flow.hash), hand: flow.hand },
      }
    })
  }
}

/** What we make of the objects. */
export function effective({ flowSchemas, priorityLevels }: Configuration, rules: VersionRules): EffectiveConfiguration {
  const schemas = flowSchemas.map((json) => decoded<FlowSchema>('FlowSchema', json, rules))
  const levels = priorityLevels.map((json) =>
    decoded<PriorityLevelConfiguration>('PriorityLevelConfiguration', json, rules),
  )
  return effectiveConfiguration(schemas, levels, rules)
}

function decoded<T>(kind: string, json: object, rules: VersionRules): T {
  const apiVersion = `${FLOWCONTROL_GROUP}/${rules.servedVersions[0]}`
  const { object, problems } = decodeObject(json, null, rules, { defaults: { apiVersion, kind }, fromServer: true })
  if (object === null) throw new Error(`not decoded: ${JSON.stringify({ kind, ...json })} ${JSON.stringify(problems)}`)
  return object as T
}

/** The members in which two verdicts differ; empty if they agree. */
export function differences(ours: Verdict, upstream: Verdict): (keyof Verdict)[] {
  const members = ['outcome', 'attributes', 'schema', 'level', 'standIns', 'flow'] as const
  return members.filter((member) => !same(ours[member], upstream[member]))
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(Reflect.get(a, key), Reflect.get(b, key)))
  )
}
