/** What a recording of an API server tells of it, for an answer from the objects beside it. */
import { countedObjects } from '../../analysis/counted-objects.ts'
import { readRecording } from '../../metrics/read-recording.ts'
import type { Recording } from '../../sources/files.ts'
import type { Asked } from './context.ts'

/** The same question with the seats and the numbers of objects of the recorded server, unless they were given. */
export async function withRecorded(asked: Asked, { folder }: Recording): Promise<Asked> {
  const server = await readRecording(folder)
  const { flags, context } = asked
  const told = flags['server-seats'] === undefined ? server.serverSeats : null
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
