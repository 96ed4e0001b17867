/** Whether APF is on at this server, by the answers we get anyway, and by its own health report if they do not tell. */
import type { Client } from './client.ts'
import { isFault, type Reply } from './exchange.ts'
import { readPfHeaders } from './pf-headers.ts'

/** `NotAPF`: the plain limiter or none, the evidence cannot tell which. */
export type ServerMode = 'APF' | 'NotAPF' | 'Unknown'

export interface ModeEvidence {
  what: string
  says: ServerMode
  strength: 'strong' | 'weak'
}

export interface ModeFound {
  mode: ServerMode
  evidence: ModeEvidence[]
}

/**
 * Headers with the two UIDs prove that APF is on, empty ones too. Without them it is off, or something on the way strips
 * headers: then the names of the hooks in `/livez?verbose` decide.
 * @param replies  answers to our own requests that pass APF if there is one
 */
export async function findMode(client: Client, replies: readonly Reply[]): Promise<ModeFound> {
  const passed = replies.filter(({ status }) => status !== 401)
  if (passed.some(({ headers }) => readPfHeaders(headers).flowSchemaUID !== null)) {
    return {
      mode: 'APF',
      evidence: [{ what: 'APF headers in the answers to our own requests', says: 'APF', strength: 'strong' }],
    }
  }
  const evidence: ModeEvidence[] = []
  if (passed.length > 0) {
    evidence.push({ what: 'no APF headers in the answers to our own requests', says: 'NotAPF', strength: 'weak' })
  }
  const livez = await client.send('GET', '/livez?verbose')
  const said = isFault(livez) ? null : modeOfLivez(livez.body)
  if (said === null) {
    const why = isFault(livez) ? livez.fault : `status ${livez.status}`
    evidence.push({ what: `/livez?verbose does not tell (${why})`, says: 'Unknown', strength: 'weak' })
    return { mode: 'Unknown', evidence }
  }
  const hook = said === 'APF' ? 'priority-and-fairness-filter' : 'max-in-flight-filter'
  evidence.push({ what: `hook ${hook} in /livez?verbose`, says: said, strength: 'strong' })
  return { mode: said, evidence }
}

/** The hook of max-in-flight-filter is there without limits as well. */
function modeOfLivez(body: string): ServerMode | null {
  if (/poststarthook\/priority-and-fairness-filter\b/.test(body)) return 'APF'
  return /poststarthook\/max-in-flight-filter\b/.test(body) ? 'NotAPF' : null
}
