/**
 * The whole answer for one request: bypass, refused target, or FlowSchema, priority level and flow.
 * Source: kubernetes/apiserver pkg/util/flowcontrol/apf_controller.go (startRequest),
 * pkg/server/filters/priority-and-fairness.go
 */
import { type Flow, flowOf } from './flow.ts'
import { bypassesFairness } from './long-running.ts'
import { matchesFlowSchema } from './match.ts'
import type { EffectiveConfiguration, EffectiveSchema } from './order.ts'
import type { Identity, RequestAttributes } from './request.ts'
import type { VersionRules } from './versions.ts'

export type Outcome =
  /** Long-running: APF does not see it. */
  { outcome: 'bypass' } | { outcome: 'classified'; entry: EffectiveSchema; ruleIndex: number | null; flow: Flow | null }

export interface SchemaMatch {
  entry: EffectiveSchema
  /** Index into `spec.rules`; null where catch-all answers because nothing matched. */
  ruleIndex: number | null
}

/** Finds the schema that takes a request. It does not ask whether the request bypasses APF. */
export interface Classifier {
  find(identity: Identity, request: RequestAttributes): SchemaMatch
}

/** Tries one schema after the other, as the server does. */
export function plainClassifier(configuration: EffectiveConfiguration): Classifier {
  return {
    find(identity, request) {
      for (const entry of configuration.order) {
        const ruleIndex = matchesFlowSchema(entry.schema, identity, request)
        if (ruleIndex !== null) return { entry, ruleIndex }
      }
      return { entry: configuration.catchAll, ruleIndex: null }
    },
  }
}

export function classify(
  classifier: Classifier,
  identity: Identity,
  request: RequestAttributes,
  rules: VersionRules,
): Outcome {
  if (bypassesFairness(request, rules)) return { outcome: 'bypass' }
  const { entry, ruleIndex } = classifier.find(identity, request)
  return { outcome: 'classified', entry, ruleIndex, flow: flowOf(entry.schema, entry.level, identity, request) }
}
