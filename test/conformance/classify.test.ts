import { describe, expect, it } from 'vitest'
import { type Classifier, plainClassifier } from '../../src/apf/classify.ts'
import { compileClassifier } from '../../src/apf/compiled-classifier.ts'
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import { flowOf, formatHash } from '../../src/apf/flow.ts'
import { effectiveConfiguration } from '../../src/apf/order.ts'
import type { Identity } from '../../src/apf/request.ts'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { type FlowSchemaJson, flowSchema, type PriorityLevelJson, priorityLevel } from '../support/objects.ts'
import { vectors } from './vectors.ts'

interface Input {
  bootstrapVersion: string
  extraFlowSchemas?: FlowSchemaJson[]
  extraPriorityLevels?: PriorityLevelJson[]
  method: string
  url: string
  user: Identity
}
interface Expected {
  verb: string
  flowSchema: string
  priorityLevel: string
  priorityLevelType: string
  flowDistinguisher: string
  flowHash: string | null
  hand: number[] | null
}

describe.each(vectors<Input, Expected>('classification', 'classify'))(
  '$input.method $input.url by $input.user.name on $input.bootstrapVersion ($note)',
  ({ input, expected }) => {
    const [, minor, patch] = input.bootstrapVersion.split('.').map(Number)
    const rules = rulesFor({ minor: minor ?? 0, patch: patch ?? 0 })
    const stock = defaultObjects(rules)
    const configuration = effectiveConfiguration(
      [...stock.flowSchemas, ...(input.extraFlowSchemas ?? []).map(flowSchema)],
      [...stock.priorityLevels, ...(input.extraPriorityLevels ?? []).map(priorityLevel)],
      rules,
    )
    const answer = (classifier: Classifier): Expected => {
      const request = requestInfo(input.method, input.url)
      if (isRefused(request)) throw new Error('refused')
      const { entry } = classifier.find(input.user, request)
      const flow = flowOf(entry.schema, entry.level, input.user, request)
      return {
        verb: request.verb,
        flowSchema: entry.schema.metadata.name,
        priorityLevel: entry.level.metadata.name,
        priorityLevelType: entry.level.spec.type,
        flowDistinguisher: flow?.distinguisher ?? '',
        flowHash: flow ? formatHash(flow.hash) : null,
        hand: flow?.hand ?? null,
      }
    }

    it('lands where upstream puts it', () => expect(answer(plainClassifier(configuration))).toEqual(expected))
    it('lands there by the compiled classifier too', () =>
      expect(answer(compileClassifier(configuration))).toEqual(expected))
  },
)
