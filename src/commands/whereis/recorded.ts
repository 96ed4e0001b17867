/** What a recording of an API server tells of it, for an answer from the objects beside it. */
import { fairnessIsOff } from '../../analysis/seats.ts'
import { readRecording } from '../../metrics/read-recording.ts'
import type { Recording } from '../../sources/files.ts'
import type { Asked } from './context.ts'
import { withServer } from './with-server.ts'

/** The same question with the limiter, the seats and the numbers of objects of the recorded server, unless they were given. */
export async function withRecorded(asked: Asked, { folder }: Recording): Promise<Asked> {
  const server = await readRecording(folder)
  const source = { ...asked.source, mode: server.mode.mode }
  return { ...withServer(asked, server), source, fairnessIsOff: fairnessIsOff(source) }
}
