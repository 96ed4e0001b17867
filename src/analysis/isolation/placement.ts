/** Where a new FlowSchema stands so that it takes what is wanted from the schemas that have it now, with room on both sides. */
import { inWouldBeOrder } from '../../apf/explain.ts'
import type { FlowSchema } from '../../apf/objects.ts'
import type { EffectiveConfiguration } from '../../apf/order.ts'

/** Precedences that a server accepts for schemas other than `exempt`. */
const LEAST_PRECEDENCE = 2
const GREATEST_PRECEDENCE = 9999

/** Next to which schema the new one stands. */
export interface Anchor {
  side: 'above' | 'below'
  schema: FlowSchema
}

export interface Gap {
  /** Precedences of the neighbours, which the new schema lies strictly between. */
  after: number
  before: number
}

/**
 * The precedence for a schema right before (`above`) or right behind (`below`) another: near it, and with at least as
 * much room to its other neighbour. Null where no number is left between the two.
 */
export function precedenceBeside(
  anchor: Anchor,
  configuration: EffectiveConfiguration,
): { precedence: number | null; gap: Gap } {
  const gap = gapBeside(anchor, configuration)
  const room = gap.before - gap.after
  const step = STEPS.find((candidate) => 2 * candidate <= room)
  if (step === undefined) return { precedence: null, gap }
  return { precedence: anchor.side === 'above' ? gap.before - step : gap.after + step, gap }
}

/** Distances to the neighbour, the roomiest first. */
const STEPS = [100, 50, 20, 10, 5, 2, 1]

function gapBeside({ side, schema }: Anchor, configuration: EffectiveConfiguration): Gap {
  const own = schema.spec.matchingPrecedence
  // Schemas that dangle now may take requests tomorrow: they count as neighbours.
  const precedences = inWouldBeOrder(configuration).map((item) => item.schema.spec.matchingPrecedence)
  if (side === 'above') {
    return { after: Math.max(LEAST_PRECEDENCE - 1, ...precedences.filter((other) => other < own)), before: own }
  }
  return { after: own, before: Math.min(GREATEST_PRECEDENCE + 1, ...precedences.filter((other) => other > own)) }
}
