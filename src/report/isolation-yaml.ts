/** The objects of `isolate` as YAML to apply: the proof as comments in front, and on request a reason beside each field. */

import type { EncodedObject } from '../apf/encode.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../apf/objects.ts'

/** Comments by field path, in the order of the document. */
export type FieldComments = readonly (readonly [path: readonly (string | number)[], comment: string])[]

export interface CommentedObject {
  object: EncodedObject
  comments: FieldComments
}

/**
 * @param head  lines in front of everything
 */
export async function isolationYaml(head: readonly string[], objects: readonly CommentedObject[]): Promise<string> {
  const { commentedYaml } = await import('./yaml.ts')
  const documents = objects.map(({ object, comments }) => commentedYaml(object, comments))
  return head.map((line) => `${`# ${line}`.trimEnd()}\n`).join('') + documents.join('---\n')
}

/** Why each field of the new FlowSchema is as it is. */
export function schemaComments(
  { spec }: FlowSchema,
  { anchor, single }: { anchor: string; single: boolean },
): FieldComments {
  return [
    [['spec', 'matchingPrecedence'], `${anchor}, with room for others on both sides; the lowest number is tried first`],
    [
      ['spec', 'rules', 0, 'subjects'],
      single ? 'this subject alone; all it sends is one flow' : 'each user is a flow of its own (distinguisherMethod)',
    ],
    ...(spec.rules[0]?.resourceRules.some(({ clusterScope }) => clusterScope)
      ? ([
          [
            ['spec', 'rules', 0, 'resourceRules', 0, 'clusterScope'],
            'requests without a namespace, such as a LIST over all of them; namespaces "*" does not cover those',
          ],
        ] as const)
      : []),
  ]
}

/** Why each field of the new level is as it is. */
export function levelComments(
  { spec }: PriorityLevelConfiguration,
  { sharesField, otherShares, nominal, serverSeats }: LevelReasons,
): FieldComments {
  const { limited } = spec
  if (limited === null) return []
  const { nominalConcurrencyShares: shares, limitResponse } = limited
  const comments: [(string | number)[], string][] = [
    [
      ['spec', 'limited', sharesField],
      `${serverSeats} seats × ${shares} of ${otherShares + shares} shares, rounded up: ${nominal} seats on each API server`,
    ],
    [['spec', 'limited', 'lendablePercent'], 'of its seats others may use so many percent while they are idle'],
    [['spec', 'limited', 'borrowingLimitPercent'], 'beyond its own seats it may borrow so many percent of them'],
    [
      ['spec', 'limited', 'limitResponse', 'type'],
      limitResponse.type === 'Queue'
        ? 'what does not fit waits, for a quarter of its time-out at most'
        : 'what does not fit is refused with 429 at once',
    ],
    [
      ['spec', 'limited', 'limitResponse', 'queuing', 'queues'],
      limitResponse.queuing?.queues === 1
        ? 'one flow needs one queue; a larger hand would lower what one LIST may take'
        : 'flows are spread over the queues; each is dealt handSize of them',
    ],
  ]
  return comments
}

export interface LevelReasons {
  sharesField: string
  otherShares: number
  nominal: number
  serverSeats: number
}
