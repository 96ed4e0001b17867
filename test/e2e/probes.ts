/** Requests of many callers to a real API server, with the server's own word on whom it saw and where the request landed. */
import type { Configuration, RequestLine } from '../oracle/process.ts'
import { Random } from '../oracle/random.ts'
import { randomFamily } from '../oracle/requests.ts'
import type { Cluster } from './cluster.ts'
import { type RawAnswer, rawRequest } from './raw-request.ts'
import { TOKEN_USERS, tokenOf } from './users.ts'

/** A request with the headers that make it one of its caller. */
export interface Probe extends RequestLine {
  how: 'token' | 'impersonation' | 'anonymous'
}

export interface Landing {
  outcome: 'classified' | 'bypass' | 'error'
  flowSchema: string | null
  priorityLevel: string | null
}

export interface Probed {
  probe: Probe
  /** As the audit log has it; as intended where the request was refused before it. */
  caller: { user: string; groups: string[] }
  status: number
  landing: Landing
}

const AT_ONCE = 6

/** Reproducible requests, most of them near the rules of the configuration. */
export function randomProbes(seed: number, configuration: Configuration, count: number): Probe[] {
  const random = new Random(seed)
  const probes: Probe[] = []
  while (probes.length < count) {
    const requests = randomFamily(random, configuration).filter(canBeSent)
    probes.push(...requests.map((request): Probe => ({ ...request, how: howToSend(random, request.user) })))
  }
  return probes.slice(0, count)
}

/** Without a user there is no impersonation; the spaces around a header's value are not part of it. */
function canBeSent({ user, groups, method, url }: RequestLine): boolean {
  const asHeader = (value: string): boolean => value === value.trim()
  return user !== '' && [user, ...groups].every(asHeader) && method !== '' && !/[\r\n ]/.test(url)
}

function howToSend(random: Random, user: string): Probe['how'] {
  if (user === 'system:anonymous' && random.chance(0.5)) return 'anonymous'
  return user in TOKEN_USERS && random.chance(0.6) ? 'token' : 'impersonation'
}

/** Sends them, a few at a time. */
export async function sendProbes(cluster: Cluster, probes: readonly Probe[]): Promise<Probed[]> {
  const answers: RawAnswer[] = []
  let next = 0
  const sender = async (): Promise<void> => {
    while (next < probes.length) {
      const index = next++
      const probe = probes[index]
      if (probe) answers[index] = await rawRequest(cluster.server, { ...probe, headers: headersOf(probe) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))

  const events = await cluster.audited(answers.flatMap((answer) => (refused(answer) ? [] : auditIDOf(answer))))
  const schemas = await namesByUID(cluster, 'flowschemas')
  const levels = await namesByUID(cluster, 'prioritylevelconfigurations')
  return probes.map((probe, index): Probed => {
    const answer = answers[index]
    if (!answer) throw new Error('a probe has no answer')
    const event = auditIDOf(answer).map((id) => events.get(id))[0]
    const seen = event?.impersonatedUser ?? event?.user
    const caller = { user: seen?.username ?? probe.user, groups: seen?.groups ?? probe.groups }
    return { probe, caller, status: answer.status, landing: landingOf(answer, schemas, levels) }
  })
}

function headersOf({ how, user, groups }: Probe): [string, string][] {
  if (how === 'anonymous') return []
  if (how === 'token') return [['Authorization', `Bearer ${tokenOf(user)}`]]
  return [
    ['Authorization', `Bearer ${tokenOf('admin')}`],
    ['Impersonate-User', user],
    ...groups.map((group): [string, string] => ['Impersonate-Group', group]),
  ]
}

/** By the HTTP server or the request parser: no handler has seen it. */
function refused({ status, headers }: RawAnswer): boolean {
  return (status === 400 || status === 500) && !headers.has(SCHEMA_HEADER)
}

const SCHEMA_HEADER = 'x-kubernetes-pf-flowschema-uid'
const LEVEL_HEADER = 'x-kubernetes-pf-prioritylevel-uid'

function auditIDOf({ headers }: RawAnswer): readonly string[] {
  return headers.get('audit-id') ?? []
}

function landingOf(
  answer: RawAnswer,
  schemas: ReadonlyMap<string, string>,
  levels: ReadonlyMap<string, string>,
): Landing {
  const [schema] = answer.headers.get(SCHEMA_HEADER) ?? []
  const [level] = answer.headers.get(LEVEL_HEADER) ?? []
  if (schema !== undefined && level !== undefined) {
    const unknown = (uid: string): string => `no object with UID ${JSON.stringify(uid)}`
    return {
      outcome: 'classified',
      flowSchema: schemas.get(schema) ?? unknown(schema),
      priorityLevel: levels.get(level) ?? unknown(level),
    }
  }
  return { outcome: refused(answer) ? 'error' : 'bypass', flowSchema: null, priorityLevel: null }
}

async function namesByUID(cluster: Cluster, resource: string): Promise<Map<string, string>> {
  const objects = await cluster.list<{ metadata: { name: string; uid: string } }>(resource)
  return new Map(objects.map(({ metadata }) => [metadata.uid, metadata.name]))
}
