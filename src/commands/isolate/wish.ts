/** From the words and flags of `isolate` to what is wished. */
import type { IsolationWish } from '../../analysis/isolation.ts'
import { typicalIdentity } from '../../analysis/typical-identity.ts'
import { serviceAccountOf } from '../../apf/identity.ts'
import { isDnsSubdomain } from '../../apf/names.ts'
import type { Subject } from '../../apf/objects.ts'
import { accountSubject, groupSubject, userSubject } from '../../apf/subjects.ts'
import { usageError } from '../../cli/errors.ts'
import { isArgumentProblem } from '../../kubectl/note.ts'
import { type RequestFilter, requestFilter } from '../../kubectl/request-filter.ts'

export interface IsolateFlagValues {
  as?: string | undefined
  'as-group'?: string[] | undefined
  namespace?: string | undefined
  seats?: number | undefined
  share?: string | undefined
  reject: boolean
  level?: string[] | undefined
  above?: string | undefined
  below?: string | undefined
  preset?: string | undefined
  name?: string | undefined
}

export interface Wished {
  wish: IsolationWish
  /** What the words were read as. */
  notes: string[]
}

/**
 * @throws CliError (exit 2) for words and flags that name no subject, no requests or no level
 */
export function wishOf(words: readonly string[], flags: IsolateFlagValues): Wished {
  const subject = subjectOf(flags)
  const isPreset = flags.preset !== undefined
  const filter = isPreset ? leaseFilter(words, subject, flags) : filterOf(words, flags)
  const wish: IsolationWish = {
    subject,
    identity: identityOf(subject, flags),
    requests: filter,
    name: nameOf(subject, words, flags),
    isNameGiven: flags.name !== undefined,
    level: isPreset ? { existing: LEADER_ELECTION } : levelOf(flags),
    beside: besideOf(flags),
  }
  return { wish, notes: filter.notes.map(({ message }) => message) }
}

function subjectOf({ as, 'as-group': groups = [] }: IsolateFlagValues): Subject {
  if (as !== undefined && as !== '') {
    const [, namespace] = /^system:serviceaccount:([^:*]+):\*$/.exec(as) ?? []
    if (namespace !== undefined) {
      throw usageError(
        `--as=${as} is nobody's name`,
        'FlowSchemas know no patterns of users',
        `all ServiceAccounts of ${namespace}: --as-group=system:serviceaccounts:${namespace}`,
      )
    }
    const serviceAccount = serviceAccountOf(as)
    return serviceAccount === null ? userSubject(as) : accountSubject(serviceAccount.namespace, serviceAccount.name)
  }
  const [group, ...others] = groups
  if (group === undefined || group === '') {
    throw usageError('who is to be fenced in?', undefined, 'add --as=USER, or --as-group=GROUP for a whole group')
  }
  if (others.length > 0) throw usageError('several groups', 'one subject is fenced in at a time', 'give one --as-group')
  return groupSubject(group)
}

/** Given groups of a user are groups it has besides. */
function identityOf(subject: Subject, { as, 'as-group': groups = [] }: IsolateFlagValues): IsolationWish['identity'] {
  const typical = typicalIdentity(subject)
  if (typical === null) throw new TypeError('a subject that was given names somebody')
  return as === undefined ? typical : { ...typical, groups: [...new Set([...groups, ...typical.groups])] }
}

function filterOf(words: readonly string[], { namespace }: IsolateFlagValues): RequestFilter {
  const filter = requestFilter({ words, namespace })
  if (isArgumentProblem(filter)) throw usageError(filter.problem, undefined, filter.fix)
  return filter
}

const LEADER_ELECTION = 'leader-election'

/** What an operator does with the lease that makes it the leader. */
function leaseFilter(words: readonly string[], { serviceAccount }: Subject, flags: IsolateFlagValues): RequestFilter {
  if (words.length > 0) {
    throw usageError(`--preset with ${words.join(' ')}`, 'the preset names the requests', 'leave one of them out')
  }
  const namespace = flags.namespace ?? serviceAccount?.namespace
  if (namespace === undefined) {
    throw usageError('in which namespace are the leases?', 'a user is in none', 'add -n NAMESPACE')
  }
  return filterOf(['get,create,update', 'leases.coordination.k8s.io'], { ...flags, namespace })
}

const DEFAULT_PART = 0.02

function levelOf({ level = [], seats, share, reject }: IsolateFlagValues): IsolationWish['level'] {
  const [existing, ...others] = level
  if (others.length > 0) throw usageError('several levels', 'a FlowSchema leads to one', 'give one --level')
  if (existing !== undefined) return { existing }
  const wanted = seats === undefined ? { part: share === undefined ? DEFAULT_PART : partOf(share) } : { seats }
  return { wanted, response: reject ? 'Reject' : 'Queue' }
}

function partOf(share: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?)%?$/.exec(share) ?? []
  const percent = Number(digits)
  if (digits !== undefined && percent > 0 && percent < 100) return percent / 100
  throw usageError(`--share ${share} is no part of the seats`, 'it lies between 0 % and 100 %', 'write it as 5%')
}

function besideOf({ above, below, preset }: IsolateFlagValues): IsolationWish['beside'] {
  if (above !== undefined) return { side: 'above', name: above }
  if (below !== undefined) return { side: 'below', name: below }
  return preset === undefined ? null : { side: 'below', name: 'system-leader-election' }
}

const LONGEST_NAME = 63

/** `shop-reporter`, `shop-reporter-list`: whom, and if not everything of theirs, what. */
function nameOf(subject: Subject, words: readonly string[], { name, preset }: IsolateFlagValues): string {
  if (name !== undefined) {
    if (isDnsSubdomain(name)) return name
    throw usageError(
      `--name ${name} is no name of an object`,
      'it consists of lower-case letters, digits, - and .',
      'write it as shop-reporter',
    )
  }
  const { kind, user, group, serviceAccount } = subject
  const who = serviceAccount ? [serviceAccount.namespace, serviceAccount.name] : [user?.name ?? group?.name ?? '']
  const what = preset === undefined ? words : [LEADER_ELECTION]
  const made = [...who, ...what]
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME)
    .replace(/^-+|-+$/g, '')
  return made === '' ? kind.toLowerCase() : made
}
