import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Identity, RequestAttributes } from '../../../src/apf/request.ts'
import { requestInfo } from '../../../src/apf/request-info.ts'
import { isSourceFailure, type SourceFailure, unanswered } from '../../../src/sources/failure.ts'
import { type LiveState, openLive } from '../../../src/sources/live/open.ts'
import { type Announcement, createVerifier } from '../../../src/sources/live/verify.ts'
import { cluster, flowSchema, forbidden, LEVELS, list, PF, priorityLevel, SCHEMAS, VERSION } from './cluster-answers.ts'
import { kubeconfig, options, type Workplace, workplace } from './connect-helpers.ts'
import { type Answer, type StubServer, startStub } from './stub-server.ts'

const PODS = '/api/v1/namespaces/shop/pods'
const JANE: Identity = { name: 'jane', groups: ['dev', 'system:authenticated'] }

let place: Workplace
const opened: (() => unknown)[] = []
beforeAll(() => {
  place = workplace()
})
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})
afterAll(() => place.remove())

function parsed(method: string, url: string): RequestAttributes {
  const request = requestInfo(method, url)
  if ('refused' in request) throw new Error(request.refused)
  return request
}

type Answers = Parameters<typeof cluster>[0]

async function arrange(answers: Answers, timeout = '5s', user: object = {}) {
  const stub = await startStub(cluster(answers), null)
  opened.push(() => stub.close())
  const live = options(place.write('config', kubeconfig({ server: stub.url }, user)), { requestTimeout: timeout })
  const state = await openLive(live)
  if (isSourceFailure(state)) throw new Error(JSON.stringify(state))
  opened.push(() => state.live.client.close())
  const announced: Announcement[] = []
  const verifier = createVerifier({
    state,
    announce: (announcement) => announced.push(announcement),
    sleep: async () => {},
  })
  stub.asked.length = 0
  return { stub, verifier, announced, state }
}

function probesOf(stub: StubServer, path = PODS) {
  return stub.asked.filter(({ url }) => url.startsWith(path))
}

const AGREEING: Answer = { headers: PF('uid-shop', 'uid-shop') }
const OTHER: Answer = { headers: PF('uid-else', 'uid-else') }

describe('a server that agrees', () => {
  it('is asked by a list of metadata as the subject, announced before it is sent', async () => {
    const { stub, verifier, announced } = await arrange({ [PODS]: AGREEING })
    const result = await verifier.verify(JANE, parsed('GET', PODS))
    expect(result).toMatchObject({
      verdict: 'agrees',
      agrees: true,
      httpStatus: 200,
      flowSchema: 'shop',
      priorityLevel: 'shop',
      note: '',
    })
    expect(announced).toEqual([
      { url: `${stub.url}${PODS}?limit=1`, impersonate: { user: 'jane', uid: '', groups: ['dev'], extra: {} } },
    ])
    expect(stub.asked).toHaveLength(1)
    expect(stub.asked[0]?.url).toBe(`${PODS}?limit=1`)
    expect(stub.asked[0]?.headers).toMatchObject({ 'impersonate-user': 'jane', 'impersonate-group': 'dev' })
  })

  it('is asked as we are where we are the subject', async () => {
    const { stub, verifier, announced } = await arrange({ [PODS]: AGREEING })
    await verifier.verify(JANE, parsed('GET', PODS), true)
    expect(announced[0]?.impersonate).toBeNull()
    expect(stub.asked[0]?.headers['impersonate-user']).toBeUndefined()
  })

  it('is asked as whom our kubeconfig impersonates where we are the subject, and says so', async () => {
    const { stub, verifier, announced } = await arrange({ [PODS]: AGREEING }, '5s', { as: 'deputy' })
    await verifier.verify({ name: 'deputy', groups: ['system:authenticated'] }, parsed('GET', PODS), true)
    expect(announced[0]?.impersonate).toMatchObject({ user: 'deputy', groups: [] })
    expect(stub.asked[0]?.headers['impersonate-user']).toBe('deputy')
  })

  it.each([
    ['refuses the request itself', { ...AGREEING, status: 403 }, 403],
    ['does not find it', { ...AGREEING, status: 404 }, 404],
    ['is too busy for it', { ...AGREEING, status: 429 }, 429],
    ['never ends its answer', { ...AGREEING, endless: true }, 200],
  ])('may be one that %s', async (_what, answer, httpStatus) => {
    const { stub, verifier } = await arrange({ [PODS]: answer })
    expect(await verifier.verify(JANE, parsed('GET', `${PODS}?watch=1`))).toMatchObject({
      verdict: 'agrees',
      httpStatus,
    })
    expect(stub.asked.map(({ url }) => url)).toEqual([`${PODS}?watch=true&timeoutSeconds=1`])
  })

  it('may have a backend behind it', async () => {
    const headers = {
      'X-Kubernetes-Pf-Flowschema-Uid': ['uid-shop', 'x'],
      'X-Kubernetes-Pf-Prioritylevel-Uid': ['uid-shop', 'y'],
    }
    const { verifier } = await arrange({ [PODS]: { headers } })
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({
      verdict: 'agrees',
      note: 'an aggregated API answered, which has classified the request again',
    })
  })

  it('gives no UIDs for stand-ins', async () => {
    const { verifier } = await arrange({ [PODS]: { headers: PF('', '') } })
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
    expect(await verifier.verify(anonymous, parsed('GET', PODS))).toMatchObject({
      verdict: 'agrees',
      flowSchemaUID: '',
      flowSchema: null,
    })
  })

  it('may give the old UID of a level that was deleted', async () => {
    const { verifier } = await arrange({ [PODS]: { headers: PF('', 'uid-of-old') } })
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
    expect(await verifier.verify(anonymous, parsed('GET', PODS))).toMatchObject({ verdict: 'agrees' })
  })

  it('is believed for the schema alone where levels could not be read', async () => {
    const { verifier } = await arrange({
      [PODS]: { headers: PF('uid-shop', 'uid-any') },
      [LEVELS]: forbidden('jane', 'prioritylevelconfigurations'),
    })
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({ verdict: 'agrees', priorityLevel: null })
  })

  it('may take a moment until a change has reached it', async () => {
    let asked = 0
    const { verifier } = await arrange({ [PODS]: () => (asked++ === 0 ? OTHER : AGREEING) })
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({
      verdict: 'agrees',
      note: 'at the second try: the server had not taken up a change before',
    })
  })
})

describe('a server that does not agree', () => {
  it('disagrees where the objects are still the same', async () => {
    const schemas = { body: list([flowSchema('shop', 'shop'), { ...flowSchema('else', 'shop'), spec: {} }]) }
    const { stub, verifier } = await arrange({ [PODS]: { headers: PF('uid-else', 'uid-shop') }, [SCHEMAS]: schemas })
    const result = await verifier.verify(JANE, parsed('GET', PODS))
    expect(result).toMatchObject({ verdict: 'disagrees', agrees: false, flowSchema: 'else', priorityLevel: 'shop' })
    expect(probesOf(stub)).toHaveLength(2)
  })

  it('shows that the objects have changed: the answer is stale', async () => {
    let uid = 'uid-shop'
    const { verifier } = await arrange({
      [SCHEMAS]: () => ({ body: list([flowSchema('shop', 'shop', { uid })]), headers: PF('a', 'b') }),
      [PODS]: () => ({ headers: PF('uid-new', 'uid-shop') }),
    })
    uid = 'uid-new'
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({
      verdict: 'stale',
      agrees: null,
      flowSchema: 'shop',
      note: 'the objects have changed since they were read; by the new ones the server agrees',
    })
    expect(verifier.state().flowSchemas[0]?.metadata.uid).toBe('uid-new')
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({ verdict: 'agrees' })
  })

  it('leaves it open where the objects cannot be read again', async () => {
    const { state } = await arrange({ [PODS]: OTHER })
    const failure = unanswered('gone', '', '')
    const blind: LiveState = { ...state, live: { ...state.live, reread: async () => failure } }
    const verifier = createVerifier({ state: blind, announce: () => {}, sleep: async () => {} })
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({
      verdict: 'undecided',
      agrees: null,
      failure,
    })
  })
})

describe('a server that does not tell', () => {
  it.each<[string, Answer, Partial<SourceFailure>]>([
    [
      'forbids to impersonate',
      {
        status: 403,
        body: {
          kind: 'Status',
          message:
            'users "jane" is forbidden: User "eve" cannot impersonate resource "users" in API group "" at the cluster scope',
        },
      },
      {
        exitCode: 3,
        what: 'the server does not let us impersonate jane (403)',
        why: 'user eve lacks the verb impersonate on users, groups or serviceaccounts',
        next: 'ask for a role such as: kubectl create clusterrole apf-impersonator --verb=impersonate --resource=users,groups,serviceaccounts',
      },
    ],
    [
      'strips the headers of a refusal',
      {
        status: 403,
        body: { kind: 'Status', message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group ""' },
      },
      { exitCode: 3, what: 'the answer carries no APF headers' },
    ],
    ['strips the headers', { status: 200 }, { exitCode: 3, what: 'the answer carries no APF headers' }],
    ['does not know us', { status: 401 }, { exitCode: 3, what: 'the server does not accept the credentials (401)' }],
    ['hangs', { hang: true }, { exitCode: 3, what: expect.stringContaining('did not answer within 0.3 s') }],
  ])('%s', async (_what, answer, failure) => {
    const { verifier } = await arrange({ [PODS]: answer }, '300ms')
    expect(await verifier.verify(JANE, parsed('GET', PODS))).toMatchObject({
      verdict: 'undecided',
      agrees: null,
      failure,
    })
  })

  it('is not asked where APF is off', async () => {
    const bare = {
      '/version': { body: VERSION },
      [SCHEMAS]: { body: list([]) },
      [LEVELS]: { body: list([priorityLevel('shop')]) },
    }
    const { stub, verifier } = await arrange({
      ...bare,
      '/livez': { body: '[+]poststarthook/max-in-flight-filter ok' },
    })
    const result = await verifier.verify(JANE, parsed('GET', PODS))
    expect(result.failure?.what).toBe('nothing to verify: APF is off on this server')
    expect(stub.asked).toEqual([])
  })
})

describe('what is not sent', () => {
  it('is a write; a read that lands in the same place is named', async () => {
    const { stub, verifier, announced } = await arrange({})
    const result = await verifier.verify(JANE, parsed('POST', PODS))
    expect(result).toMatchObject({
      verdict: 'not-sent',
      agrees: null,
      note: 'not sent: create is no read; only get, list and watch are sent',
      instead: { verb: 'list', resource: 'pods', namespace: 'shop' },
      failure: null,
    })
    expect([stub.asked, announced]).toEqual([[], []])
  })

  it('has no read in its place where reads land elsewhere', async () => {
    const writes = {
      ...flowSchema('writes', 'shop'),
      spec: {
        priorityLevelConfiguration: { name: 'shop' },
        matchingPrecedence: 1,
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: '*' } }],
            resourceRules: [{ verbs: ['create'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    }
    const { verifier } = await arrange({ [SCHEMAS]: { body: list([writes, flowSchema('shop', 'shop')]) } })
    expect(await verifier.verify(JANE, parsed('POST', PODS))).toMatchObject({ verdict: 'not-sent', instead: null })
  })

  it('is a request of somebody whose name no header carries', async () => {
    const { verifier } = await arrange({})
    const identity = { name: ' jane', groups: ['system:authenticated'] }
    expect(await verifier.verify(identity, parsed('GET', PODS))).toMatchObject({
      verdict: 'not-sent',
      note: 'not sent: a name, group, UID or extra value has control characters, or blanks at its ends',
    })
  })

  it('is a request of somebody whom no impersonation gives', async () => {
    const { verifier } = await arrange({})
    expect(await verifier.verify({ name: 'jane', groups: [] }, parsed('GET', PODS))).toMatchObject({
      verdict: 'not-sent',
      note: 'not sent: no impersonation gives exactly these groups',
    })
  })
})
