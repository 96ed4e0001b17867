/** What the classifier says of moves, told without the algebra. */
import { dealtQueues } from '../../src/apf/flow.ts'
import type { EffectiveSchema } from '../../src/apf/order.ts'

/** Whether landing here and landing there differ in schema, level, flows or exemption. */
export function landsElsewhere(a: EffectiveSchema, b: EffectiveSchema): boolean {
  const flows = dealtQueues(a.level) !== null || dealtQueues(b.level) !== null
  return (
    a.schema.metadata.name !== b.schema.metadata.name ||
    a.level.metadata.name !== b.level.metadata.name ||
    (flows && method(a) !== method(b)) ||
    (a.level.spec.type === 'Exempt') !== (b.level.spec.type === 'Exempt')
  )
}

function method({ schema }: EffectiveSchema): string {
  return ['ByUser', 'ByNamespace'].find((type) => type === schema.spec.distinguisherMethod?.type) ?? ''
}
