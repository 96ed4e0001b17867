/** What the metrics of an API server add to a question, recorded or live. */
import { countedObjects } from '../../analysis/counted-objects.ts'
import type { ServerState } from '../../metrics/server-state.ts'
import type { Asked } from './context.ts'

/** The same question with the seats and the numbers of objects of the server, unless they were given. */
export function withServer(asked: Asked, server: ServerState): Asked {
  const { flags, context, levelsKnown } = asked
  const told = levelsKnown && flags['server-seats'] === undefined ? server.serverSeats : null
  const seats = told === null ? asked.seats : { serverSeats: told.value, given: true }
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
