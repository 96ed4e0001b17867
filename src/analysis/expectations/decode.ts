/** From the documents of a file to the expectations in it. */
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  impliedGroups,
  SERVICE_ACCOUNT_PREFIX,
} from '../../apf/identity.ts'
import type { Origin, Problem } from '../../apf/problem.ts'
import type { Identity } from '../../apf/request.ts'
import { EVERY_REQUEST, NO_REQUEST, type Region, uniteRegions } from '../../regions/region.ts'
import { FieldReader, kindOf, type Members, type Node } from '../field-reader.ts'
import { isAccountsOfNamespace } from './identities.ts'
import {
  type AskedRequest,
  type Expectation,
  type ExpectedLanding,
  OUTCOMES,
  type Range,
  type RequestCase,
  type SetCase,
  type SetLanding,
  type WhoSet,
} from './model.ts'
import { expandRequests, MOST_REQUESTS, readRequests, regionOfRequests, tooMany } from './requests.ts'

/** The cases that could be read, and what is wrong with the others. */
export interface DecodedExpectations {
  cases: Expectation[]
  problems: Problem[]
}

const FILE_FIELDS = ['apiVersion', 'kind', 'cases'] as const
const FILE_VERSION = 'apf.kubectl/v1alpha1'
const FILE_KIND = 'Expectations'
const CASE_FIELDS = ['name', 'as', 'groups', 'requests', 'expect', 'forAll', 'never', 'always'] as const
const EXPECT_FIELDS = ['flowSchema', 'priorityLevel', 'outcome', 'level', 'request'] as const
const FOR_ALL_FIELDS = ['users', 'groups', 'notGroups', 'requests'] as const
const LANDING_FIELDS = ['flowSchema', 'priorityLevel'] as const

/** @param value  a document: an object with `cases`, or the list of them */
export function decodeExpectations(value: unknown, origin: Origin): DecodedExpectations {
  const reader = new FieldReader(origin, 'expectations')
  const root: Node = { value, path: [] }
  const list = Array.isArray(value) ? root : casesOf(root, reader)
  if (list === null) return { cases: [], problems: reader.problems }
  if (!Array.isArray(list.value)) {
    reader.wrong(list, 'expected a list of cases')
    return { cases: [], problems: reader.problems }
  }
  if (list.value.length === 0) reader.wrong(list, 'no cases in it')
  const cases = reader.items(list).flatMap((item) => caseOf(item, reader) ?? [])
  return { cases, problems: reader.problems }
}

function casesOf(root: Node, reader: FieldReader): Node | null {
  // Of an object of another kind no member is worth a word.
  const kind: unknown = Reflect.get(Object(root.value), 'kind')
  if (kind !== undefined && kind !== FILE_KIND) {
    const found = typeof kind === 'string' ? kind : kindOf(kind)
    const fix = 'objects are given with --from'
    return reader.wrong({ value: kind, path: ['kind'] }, `expected ${FILE_KIND}, found ${found}`, fix)
  }
  const members = reader.members(root, FILE_FIELDS, 'an object with cases, or a list of them')
  if (members === null) return null
  const version = members.get('apiVersion')
  if (version !== undefined) reader.oneOf(version, [FILE_VERSION])
  return members.get('cases') ?? reader.wrong(root, 'no cases', 'add cases: a list of expectations')
}

function caseOf(node: Node, reader: FieldReader): Expectation | null {
  const members = reader.members(node, CASE_FIELDS, 'a case')
  if (members === null) return null
  const nameNode = members.get('name')
  const name =
    nameNode === undefined ? reader.wrong(node, 'no name', 'add name: what is promised') : reader.name(nameNode)
  const read = members.has('forAll')
    ? setCaseOf(members, node, name ?? '', reader)
    : requestCaseOf(members, node, name ?? '', reader)
  return name === null ? null : read
}

// Requests one by one

function requestCaseOf(
  members: Members<(typeof CASE_FIELDS)[number]>,
  node: Node,
  name: string,
  reader: FieldReader,
): RequestCase | null {
  for (const field of ['never', 'always'] as const) {
    const stray = members.get(field)
    if (stray !== undefined) return reader.wrong(stray, 'is promised of a set', 'add forAll, or use expect')
  }
  const caller = callerOf(members.get('as'), members.get('groups'), reader)
  const requestsNode = members.get('requests')
  const expectNode = members.get('expect')
  if (requestsNode === undefined) return reader.wrong(node, 'no requests', 'add requests: [list pods -n shop]')
  if (expectNode === undefined) return reader.wrong(node, 'no expect', 'add expect: {priorityLevel: …}')
  const requests = askedRequests(requestsNode, caller, reader)
  const expected = expectedLanding(expectNode, reader)
  if (requests === null || expected === null) return null
  return { kind: 'requests', name, at: reader.placeOf(node), requests, expected }
}

function askedRequests(node: Node, caller: Caller, reader: FieldReader): AskedRequest[] | null {
  const items = reader.items(node)
  if (items.length === 0) return reader.wrong(node, 'must not be empty')
  const asked: AskedRequest[] = []
  let isWhole = true
  for (const item of items) {
    const read = readRequests(item, reader)
    const expanded = read === null ? null : expandRequests(read, item, reader)
    if (expanded === null) {
      isWhole = false
      continue
    }
    for (const { request, query, identity } of expanded) {
      const who = identity ?? caller
      if (who === 'unnamed') return reader.wrong(item, 'whose request is it?', 'add as: USER to the case')
      if (who === 'wrong') return null
      asked.push({ identity: who, request, query, at: reader.placeOf(item) })
    }
    if (asked.length > MOST_REQUESTS) return tooMany(node, reader)
  }
  return isWhole ? asked : null
}

/** `wrong`: what it is, the problems tell. */
type Caller = Identity | 'unnamed' | 'wrong'

/**
 * The caller of a case. Groups are those of the credential: as the server does, `system:authenticated` is added unless it,
 * or `system:unauthenticated`, is there. Without groups the name implies them; an empty list is a caller without any.
 */
function callerOf(as: Node | undefined, groups: Node | undefined, reader: FieldReader): Caller {
  if (as === undefined) {
    if (groups === undefined) return 'unnamed'
    reader.wrong(groups, 'groups of whom?', 'add as: USER')
    return 'wrong'
  }
  const name = reader.name(as)
  if (name === null) return 'wrong'
  if (name.includes('*'))
    reader.warn(as, `${name} is taken as the name of one user`, 'sets of callers are promised of with forAll')
  if (groups === undefined) return { name, groups: impliedGroups(name) }
  if (Array.isArray(groups.value) && groups.value.length === 0) return { name, groups: [] }
  const given = reader.texts(groups)
  if (given === null) return 'wrong'
  const isComplete = given.includes(ALL_AUTHENTICATED) || given.includes(ALL_UNAUTHENTICATED)
  const added = name === ANONYMOUS ? ALL_UNAUTHENTICATED : ALL_AUTHENTICATED
  return { name, groups: isComplete ? given : [...given, added] }
}

function expectedLanding(node: Node, reader: FieldReader): ExpectedLanding | null {
  const members = reader.members(node, EXPECT_FIELDS, 'what is expected')
  if (members === null) return null
  if (members.size === 0) return reader.wrong(node, 'expects nothing', 'add priorityLevel, flowSchema or outcome')
  const before = reader.problems.length
  const given = <T>(field: (typeof EXPECT_FIELDS)[number], read: (member: Node) => T | null): T | null => {
    const member = members.get(field)
    return member === undefined ? null : read(member)
  }
  const expected = {
    flowSchema: given('flowSchema', (member) => reader.name(member)),
    priorityLevel: given('priorityLevel', (member) => reader.name(member)),
    outcome: given('outcome', (member) => reader.oneOf(member, OUTCOMES)),
    nominalSeats: given('level', (member) => rangeIn(member, 'nominalSeats', reader)),
    width: given('request', (member) => rangeIn(member, 'width', reader)),
  }
  const names = expected.flowSchema ?? expected.priorityLevel ?? expected.nominalSeats ?? expected.width
  if (names !== null && expected.outcome !== null && expected.outcome !== 'classified') {
    return reader.wrong(node, `a request of outcome ${expected.outcome} lands in no FlowSchema or level`)
  }
  return reader.problems.length > before ? null : expected
}

/** `{FIELD: {min, max}}`; one bound is enough. */
function rangeIn<Field extends string>(node: Node, field: Field, reader: FieldReader): Range | null {
  const range = reader.members(node, [field], `an object with ${field}`)?.get(field)
  if (range === undefined) return reader.wrong(node, `no ${field}`, `add ${field}: {min: 10}`)
  const bounds = reader.members(range, ['min', 'max'], 'an object with min, max or both')
  if (bounds === null) return null
  const bound = (name: 'min' | 'max') => {
    const member = bounds.get(name)
    return member === undefined ? null : reader.count(member)
  }
  const [min, max] = [bound('min'), bound('max')]
  if (min === null && max === null) return reader.wrong(range, 'no bound', 'add min, max or both')
  if (min !== null && max !== null && min > max) return reader.wrong(range, `min ${min} is above max ${max}`)
  return { min, max }
}

// Sets

function setCaseOf(
  members: Members<(typeof CASE_FIELDS)[number]>,
  node: Node,
  name: string,
  reader: FieldReader,
): SetCase | null {
  for (const field of ['as', 'groups', 'requests', 'expect'] as const) {
    const stray = members.get(field)
    if (stray === undefined) continue
    const fix =
      field === 'expect' ? 'promise it with always or never' : `put it into forAll${field === 'as' ? '.users' : ''}`
    return reader.wrong(stray, 'does not go together with forAll', fix)
  }
  const [never, always] = [members.get('never'), members.get('always')]
  const landingNode = never ?? always
  if (landingNode === undefined || (never !== undefined && always !== undefined)) {
    const message = landingNode === undefined ? 'forAll without never or always' : 'both never and always'
    return reader.wrong(node, message, 'give one of them')
  }
  const forAllNode = members.get('forAll')
  const forAll = forAllNode === undefined ? null : reader.members(forAllNode, FOR_ALL_FIELDS, 'who and which requests')
  const landing = setLandingOf(landingNode, reader)
  if (forAll === null) return null
  const who = whoOf(forAll, reader)
  const requests = regionOf(forAll.get('requests'), reader)
  if (landing === null || who === null || requests === null) return null
  const quantifier = never === undefined ? 'always' : 'never'
  return {
    kind: 'set',
    name,
    at: reader.placeOf(node),
    who,
    requests,
    quantifier,
    landing,
    landingAt: reader.placeOf(landingNode),
  }
}

function whoOf(forAll: Members<(typeof FOR_ALL_FIELDS)[number]>, reader: FieldReader): WhoSet | null {
  const list = (field: 'users' | 'groups' | 'notGroups'): string[] | null | undefined => {
    const member = forAll.get(field)
    return member === undefined ? undefined : reader.texts(member)
  }
  const [users, groups, notGroups] = [list('users'), list('groups'), list('notGroups')]
  const usersNode = forAll.get('users')
  if (usersNode !== undefined && users?.includes('')) return reader.wrong(usersNode, 'no user has an empty name')
  if (users === null || groups === null || notGroups === null) return null
  for (const field of ['users', 'groups', 'notGroups'] as const) {
    const member = forAll.get(field)
    if (member !== undefined)
      for (const name of { users, groups, notGroups }[field] ?? []) doubtName(name, field, member, reader)
  }
  return { users: users ?? null, groups: groups ?? null, notGroups: notGroups ?? [] }
}

/** A promise about a name that nobody has holds, and says nothing. */
function doubtName(name: string, field: 'users' | 'groups' | 'notGroups', node: Node, reader: FieldReader): void {
  const isPattern = name === '*' ? field !== 'notGroups' : field === 'users' && isAccountsOfNamespace(name)
  if (isPattern || !name.includes('*')) return
  const what = field === 'users' ? 'user' : 'group'
  const fix = name.startsWith(SERVICE_ACCOUNT_PREFIX)
    ? 'write system:serviceaccount:NAMESPACE:*, or groups: [system:serviceaccounts]'
    : undefined
  reader.warn(node, `${name} is taken as the name of one ${what}, not as a pattern`, fix)
}

/** Without requests all of them are meant. */
function regionOf(node: Node | undefined, reader: FieldReader): Region | null {
  if (node === undefined) return EVERY_REQUEST
  const items = reader.items(node)
  if (items.length === 0) return reader.wrong(node, 'must not be empty', 'leave requests out for all of them')
  const regions = items.map((item) => {
    const read = readRequests(item, reader)
    return read === null ? null : regionOfRequests(read, item, reader)
  })
  return regions.every((region) => region !== null) ? regions.reduce(uniteRegions, NO_REQUEST) : null
}

function setLandingOf(node: Node, reader: FieldReader): SetLanding | null {
  const members = reader.members(node, LANDING_FIELDS, 'an object with priorityLevel or flowSchema')
  if (members === null) return null
  if (members.size === 0) return reader.wrong(node, 'names no landing', 'add priorityLevel or flowSchema')
  const before = reader.problems.length
  const text = (field: (typeof LANDING_FIELDS)[number]) => {
    const member = members.get(field)
    return member === undefined ? null : reader.name(member)
  }
  const landing = { flowSchema: text('flowSchema'), priorityLevel: text('priorityLevel') }
  return reader.problems.length > before ? null : landing
}
