/** What the metrics of an API server add to a question, recorded or live. */
import { countedObjects } from '../../analysis/counted-objects.ts'
import { seatsTold } from '../../analysis/server-account.ts'
import type { ServerState } from '../../metrics/server-state.ts'
import type { Asked } from './context.ts'

/** The same question with the seats and the numbers of objects of the server, unless they were given. */
export function withServer(asked: Asked, server: ServerState): Asked {
  const { flags, context, levelsKnown } = asked
  const isOpen = levelsKnown && flags['server-seats'] === undefined
  const told = isOpen ? seatsTold(server, [...context.configuration.levels.values()]).value : null
  const seats = told === null ? asked.seats : { serverSeats: told, given: true }
  return {
    ...asked,
    seats,
    context: {
      ...context,
      serverSeats: seats?.serverSeats ?? null,
      stored: (request) => context.stored(request) ?? countedObjects(server, request),
    },
  }
}
