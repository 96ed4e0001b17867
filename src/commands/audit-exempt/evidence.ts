/** What only a cluster or a recording of one tells: who exists, what runs, who executes. */
import { ALL_SERVICE_ACCOUNTS, NAMESPACE_GROUP_PREFIX } from '../../analysis/breadth.ts'
import type { ExemptRule } from '../../analysis/exempt-audit.ts'
import { serviceAccountOf } from '../../apf/identity.ts'
import type { Subject } from '../../apf/objects.ts'
import { isLive } from '../../cli/source.ts'
import type { ExemptUsers } from '../../metrics/exempt-users.ts'
import type { MastersSource, ObservedUser, RunningAccounts, Unknown } from '../../report/contract.ts'
import type { ClusterState } from '../../sources/cluster-state.ts'
import type { LiveState } from '../../sources/live/open.ts'
import type { AccountPattern } from '../../sources/live/running-as.ts'

/** What was found out, and what could not be. */
export interface Evidence {
  running: Map<ExemptRule, RunningAccounts>
  masters: MastersSource[]
  observed: ObservedUser[] | null
  unknowns: Unknown[]
}

/**
 * @param own    rules of one's own, for whose ServiceAccounts the cluster is asked
 * @param about  whether exempt rules are asked about, and of everybody
 */
export async function evidenceOf(
  own: readonly ExemptRule[],
  state: ClusterState,
  about: { exempt: boolean; everybody: boolean },
): Promise<Evidence> {
  if (!about.exempt) return { running: new Map(), masters: [], observed: null, unknowns: [] }
  const unknowns: Unknown[] = []
  const [running, masters, observed] = await Promise.all([
    runningOf(own, state, unknowns),
    about.everybody ? mastersOf(state, unknowns) : [],
    about.everybody ? observedIn(state, unknowns) : null,
  ])
  return { running, masters, observed, unknowns }
}

// ServiceAccounts

async function runningOf(
  own: readonly ExemptRule[],
  state: ClusterState,
  unknowns: Unknown[],
): Promise<Map<ExemptRule, RunningAccounts>> {
  const running = new Map<ExemptRule, RunningAccounts>()
  if (!isLive(state)) return running
  const patterns = own.flatMap((rule) => accountsOf(rule).map((pattern) => ({ rule, pattern })))
  if (patterns.length > 0) {
    const { runningAs } = await import('../../sources/live/running-as.ts')
    const found = await runningAs(
      state.live.client,
      patterns.map(({ pattern }) => pattern),
    )
    for (const [index, { rule }] of patterns.entries()) {
      const part = found[index]
      if (part === undefined) continue
      running.set(rule, joined(running.get(rule), part))
      unknowns.push(...part.unknown.map((text) => ({ code: 'running', message: `Not known: ${text}.` })))
    }
  }
  await countAll(own, state, unknowns)
  return running
}

function joined(a: RunningAccounts | undefined, b: RunningAccounts): RunningAccounts {
  if (a === undefined) return { serviceAccounts: b.serviceAccounts, workloads: b.workloads }
  return {
    serviceAccounts:
      a.serviceAccounts === null || b.serviceAccounts === null ? null : [...a.serviceAccounts, ...b.serviceAccounts],
    workloads: a.workloads === null || b.workloads === null ? null : [...a.workloads, ...b.workloads],
  }
}

/** The ServiceAccounts that a rule takes something of. */
function accountsOf({ subjects }: ExemptRule): AccountPattern[] {
  return subjects.flatMap(({ subject, takes }) => (takes ? (accountOf(subject) ?? []) : []))
}

function accountOf({ kind, user, group, serviceAccount }: Subject): AccountPattern | null {
  if (kind === 'ServiceAccount') return serviceAccount
  if (kind === 'User') return serviceAccountOf(user?.name ?? '')
  const name = group?.name ?? ''
  return name.startsWith(NAMESPACE_GROUP_PREFIX)
    ? { namespace: name.slice(NAMESPACE_GROUP_PREFIX.length), name: '*' }
    : null
}

/** Where all ServiceAccounts are exempt, a list of them would tell less than how many they are. */
async function countAll(own: readonly ExemptRule[], { live }: LiveState, unknowns: Unknown[]): Promise<void> {
  const isAll = own.some(({ subjects }) =>
    subjects.some(({ subject, takes }) => takes && subject.group?.name === ALL_SERVICE_ACCOUNTS),
  )
  if (!isAll) return
  const { countAccounts } = await import('../../sources/live/running-as.ts')
  const { serviceAccounts, pods } = await countAccounts(live.client)
  const count = (number: number | null, what: string) =>
    number === null ? `${what} that may not be counted` : `${number} ${what}`
  const message = `All ServiceAccounts are exempt: ${count(serviceAccounts, 'ServiceAccounts')}, ${count(pods, 'pods')}.`
  unknowns.push({ code: 'all-service-accounts', message })
}

// system:masters

const CERTIFICATES = 'client certificates with O=system:masters, until they expire'

async function mastersOf(state: ClusterState, unknowns: Unknown[]): Promise<MastersSource[]> {
  const sources: MastersSource[] = [
    { source: 'client-certificates', message: CERTIFICATES, members: null },
    { source: 'kubeadm', message: kubeadmInWords(state), members: null },
  ]
  if (!isLive(state)) return sources
  const { AWS_AUTH, mappedMasters } = await import('../../sources/live/masters.ts')
  const mapped = await mappedMasters(state.live.client)
  if (mapped === 'absent') return sources
  if ('unknown' in mapped) {
    unknowns.push({
      code: 'aws-auth',
      message: `ConfigMap ${AWS_AUTH}, if there is one, could not be read: ${mapped.unknown}.`,
    })
    return sources
  }
  const { members } = mapped
  const who = members.length === 0 ? 'nobody' : members.join(', ')
  return [...sources, { source: 'aws-auth', message: `ConfigMap ${AWS_AUTH}: ${who}`, members }]
}

/** From 1.29 on kubeadm's own administrator is not among them. */
function kubeadmInWords({ rules }: ClusterState): string {
  return rules.minor >= KUBEADM_SUPER_ADMIN_SINCE
    ? 'super-admin.conf of kubeadm (admin.conf is in kubeadm:cluster-admins, which is not exempt)'
    : 'admin.conf of kubeadm'
}

const KUBEADM_SUPER_ADMIN_SINCE = 29

// Executing now

async function observedIn(state: ClusterState, unknowns: Unknown[]): Promise<ObservedUser[] | null> {
  const seen: { server: string; found: ExemptUsers }[] = []
  if (isLive(state)) {
    const { exemptUsersOn } = await import('../../sources/live/exempt-requests.ts')
    seen.push({ server: state.live.server, found: await exemptUsersOn(state) })
  } else if (state.recordings !== undefined) {
    const { recordedExemptUsers } = await import('../../metrics/recorded-exempt-users.ts')
    for (const { folder } of state.recordings) {
      seen.push({ server: folder, found: recordedExemptUsers(folder, state.rules.minor) })
    }
  }
  const observed: ObservedUser[] = []
  for (const { server, found } of seen) {
    if ('unavailable' in found) {
      const message = `Not known who executes on ${server}: ${found.unavailable}.`
      unknowns.push({ code: 'executing', message })
    } else observed.push(...found.users.map((user) => ({ server, ...user })))
  }
  return seen.some(({ found }) => 'users' in found) ? observed : null
}
