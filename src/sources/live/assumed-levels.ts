/** Priority levels where the server does not show them: those that the FlowSchemas speak of. */
import { defaultObjects } from '../../apf/defaults/index.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../../apf/objects.ts'
import type { VersionRules } from '../../apf/versions.ts'

/**
 * Every referenced level is taken to exist, except where the server itself says of the schema that it is dangling. Those
 * of Kubernetes' own are taken as they come; of the others nothing is known, so that they claim no queues.
 */
export function assumedLevels(flowSchemas: readonly FlowSchema[], rules: VersionRules): PriorityLevelConfiguration[] {
  const stock = new Map(defaultObjects(rules).priorityLevels.map((level) => [level.metadata.name, level]))
  const referenced = flowSchemas
    .filter((schema) => !isSaidToDangle(schema))
    .map(({ spec }) => spec.priorityLevelConfiguration.name)
  return [...new Set(referenced)].sort().map((name) => stock.get(name) ?? unknownLevel(name))
}

function isSaidToDangle({ status }: FlowSchema): boolean {
  return status.conditions.some(({ type, status }) => type === 'Dangling' && status === 'True')
}

function unknownLevel(name: string): PriorityLevelConfiguration {
  return {
    kind: 'PriorityLevelConfiguration',
    apiVersion: 'v1',
    metadata: { name, uid: null, generation: null, labels: {}, annotations: {} },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        lendablePercent: 0,
        borrowingLimitPercent: null,
        limitResponse: { type: 'Reject', queuing: null },
      },
      exempt: null,
    },
    origin: null,
  }
}
