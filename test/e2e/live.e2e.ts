/** `whereis` on a live cluster: what it says of the cluster, of its callers and of servers that do not answer. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { createAuthority } from '../sources/live/certificates.ts'
import type { Run } from '../support/cli.ts'
import { type ApiServer, type Cluster, type KubeconfigParts, startCluster } from './cluster.ts'
import { type Front, startFront, startTunnelProxy } from './front.ts'
import { freePort } from './program.ts'
import {
  API_VERSION,
  API_VERSIONS,
  type ApfOptions,
  apf,
  missing,
  objectsYaml,
  programs,
  RELEASE,
  title,
  uidOf,
} from './support.ts'
import { tokenOf } from './users.ts'

const REPORTER = 'system:serviceaccount:shop:reporter'
const REPORT = ['whereis', 'list', 'pods', '-n', 'shop', `--as=${REPORTER}`]

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example.org' },
  spec: {
    group: 'shop.example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wdg'] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

let cluster: Cluster
const fronts: Front[] = []

async function remember(front: Promise<Front>): Promise<Front> {
  fronts.push(await front)
  return front
}

/** As a user whose kubeconfig has these parts. */
function by(parts: KubeconfigParts, args: readonly string[] = REPORT, options: ApfOptions = {}): Promise<Run> {
  return apf(cluster, args, { ...options, kubeconfig: cluster.kubeconfig(parts) })
}

function json({ code, stdout, stderr }: Run) {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

describe.skipIf(missing)(title('a live cluster'), () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(objectsYaml)
  })
  afterEach(() => Promise.all(fronts.splice(0).map((front) => front.close())))
  afterAll(() => cluster?.stop())

  it('is asked by the plugin that kubectl finds on PATH', async () => {
    const PATH = `${inject('installed')}:${process.env['PATH']}`
    const { code, stdout, stderr } = await cluster.kubectl(['apf', ...REPORT], { env: { PATH } })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(`LIST pods in shop by ${REPORTER} lands in shop through shop-reports (500)\n`)
  })

  it('gives the UIDs of the objects, the version and the mode of its server', async () => {
    const answer = json(await by({}, [...REPORT, '-o', 'json']))
    expect(answer.source).toEqual({ kind: 'live', serverVersion: `v${RELEASE}`, mode: 'APF' })
    expect(answer.flowSchema).toMatchObject({
      name: 'shop-reports',
      uid: await uidOf(cluster, 'flowschema/shop-reports'),
    })
    expect(answer.priorityLevel).toMatchObject({
      name: 'shop',
      uid: await uidOf(cluster, 'prioritylevelconfiguration/shop'),
    })
  })

  it('is taken in the namespace of the context without -n', async () => {
    const answer = json(
      await by({ context: { namespace: 'shop' } }, ['whereis', 'list', 'pods', `--as=${REPORTER}`, '-o', 'json']),
    )
    expect(answer.request).toMatchObject({ namespace: 'shop' })
    expect(answer.flowSchema.name).toBe('shop-reports')
  })

  it('is mapped for one subject', async () => {
    const map = json(await by({}, ['whereis', `--as=${REPORTER}`, '-o', 'json']))
    const landings = map.regions.map(({ flowSchema }: { flowSchema: string | null }) => flowSchema)
    expect(new Set(landings)).toEqual(new Set(['probes', 'shop-reports', 'service-accounts', null]))
  })

  it('has resources of its own, known by their short names as soon as they are there', async () => {
    await cluster.create([WIDGETS])
    await cluster.kubectl(['wait', `crd/${WIDGETS.metadata.name}`, '--for=condition=Established', '--timeout=60s'])
    const answer = json(await by({}, ['whereis', 'list', 'wdg', '-n', 'shop', '--as=jane', '-o', 'json']))
    expect(answer.request).toMatchObject({ apiGroup: 'shop.example.org', resource: 'widgets', namespace: 'shop' })
  })

  describe('who asks', () => {
    it('is the subject without --as: a client certificate names user and groups', async () => {
      const user = cluster.certified({ commonName: 'certified', organizations: ['dev'] })
      const answer = json(await by({ user }, ['whereis', 'list', 'pods', '-A', '-o', 'json']))
      expect(answer.request).toMatchObject({ user: 'certified', groups: ['dev', 'system:authenticated'] })
      expect(answer.flowSchema.name).toBe('tie-b')
      expect(
        answer.ownRequests.map(({ path, flowSchema }: { path: string; flowSchema: string }) => [path, flowSchema]),
      ).toEqual([
        ['/version', 'tie-b'],
        [`/apis/${API_VERSION}/flowschemas`, 'global-default'],
        [`/apis/${API_VERSION}/prioritylevelconfigurations`, 'global-default'],
      ])
    })

    it('may show a certificate that has expired', async () => {
      const [notBefore, notAfter] = [new Date('2020-01-01'), new Date('2020-01-02')]
      const user = cluster.certified({ commonName: 'certified', notBefore, notAfter })
      const run = await by({ user })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('the client certificate expired on 2020-01-02')
    })

    it('may be impersonated by the kubeconfig', async () => {
      const [as, token] = ['reader', tokenOf('admin')]
      expect(await by({ user: { token, as } })).toMatchObject({ code: 0 })
      const run = await by({ user: { token, as: 'nobody' } })
      expect(run.code).toBe(3)
      expect(run.stderr).toMatch('user nobody may not list flowschemas')
    })

    it('is never shown with the token', async () => {
      const { code, stdout, stderr } = await by({}, [...REPORT, '--verify', '--verbose'])
      expect(code).toBe(0)
      expect(stderr).toMatch('GET https://127.0.0.1')
      expect(stdout + stderr).not.toMatch(tokenOf('admin'))
    })

    it('is the subject without --as: the token in a file is a ServiceAccount', async () => {
      const { stdout } = await cluster.kubectl(['create', 'token', 'reporter', '-n', 'shop'])
      writeFileSync(cluster.file('reporter.token'), `${stdout.trim()}\n`)
      const user = { tokenFile: cluster.file('reporter.token') }
      const answer = json(await by({ user }, ['whereis', 'list', 'pods', '-n', 'shop', '-o', 'json']))
      expect(answer.request).toMatchObject({
        user: REPORTER,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      })
      expect(answer.flowSchema.name).toBe('shop-reports')
    })

    it('may be known through an exec plugin', async () => {
      const status = { token: tokenOf('reader') }
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }
      expect(await by({ user: plugin(`echo '${JSON.stringify(credential)}'`) })).toMatchObject({ code: 0 })
    })

    it('is not known where the exec plugin fails', async () => {
      const run = await by({ user: plugin('echo no luck >&2; exit 7') })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('no luck')
      expect(run.stderr).toMatch(/exit code 7|ended with 7/)
    })

    it('needs to list the two kinds and nothing else', async () => {
      expect(await by({ user: { token: tokenOf('reader') } })).toMatchObject({ code: 0 })
    })

    it('may be somebody who may read nothing', async () => {
      const run = await by({ user: { token: tokenOf('nobody') } })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('the server refused to list FlowSchemas (403)')
      expect(run.stderr).toMatch('user nobody may not list flowschemas.flowcontrol.apiserver.k8s.io at cluster scope')
      expect(run.stderr).toMatch('kubectl create clusterrole apf-reader')
      expect(run.stderr).toMatch(`--defaults ${RELEASE.split('.').slice(0, 2).join('.')}`)
    })

    it('gets an uncertain answer without the levels', async () => {
      const run = await by({ user: { token: tokenOf('schemas-reader') } })
      expect(run.code).toBe(3)
      expect(run.stdout).toMatch('lands in shop through shop-reports (500)')
      expect(run.stderr).toMatch('may not list prioritylevelconfigurations.flowcontrol.apiserver.k8s.io')
    })

    it('may be nobody at all', async () => {
      const run = await by({ user: {} })
      expect(run.code).toBe(3)
      expect(run.stderr).toMatch('system:anonymous')
    })

    it('may have a token that nobody has issued', async () => {
      const run = await by({ user: { token: 'sesame-open' } })
      expect(run.code).toBe(3)
      expect(run.stderr).toMatch('the server does not accept the credentials (401)')
      expect(run.stderr).not.toMatch('sesame')
    })
  })

  describe('the way to the server', () => {
    it('may lead through a proxy', async () => {
      const proxy = await remember(startTunnelProxy())
      expect(await by({ cluster: { 'proxy-url': proxy.url } })).toMatchObject({ code: 0 })
      expect(proxy.seen[0]).toBe(`CONNECT 127.0.0.1:${cluster.server.port}`)
    })

    it('may end where nothing listens', async () => {
      const run = await by({ cluster: { server: `https://127.0.0.1:${await freePort()}` } })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('connection refused')
    })

    it('may end at a server that hangs', async () => {
      cluster.server.program.freeze()
      const run = await by({}, [...REPORT, '--request-timeout=1s']).finally(() => cluster.server.program.thaw())
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('did not answer within 1 s')
    })

    it('is not taken if another authority has signed the certificate', async () => {
      writeFileSync(cluster.file('other-ca.crt'), createAuthority('other').certificate)
      const run = await by({ cluster: { 'certificate-authority': cluster.file('other-ca.crt') } })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('the certificate authority of the cluster entry did not sign it')
    })

    it('is not taken if the certificate is for other names', async () => {
      const run = await by({ cluster: { 'tls-server-name': 'kubernetes.example' } })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('it is for other names: 127.0.0.1, localhost')
    })

    it('is not taken if the certificate has expired', async () => {
      const notAfter = new Date('2020-01-02')
      const issued = cluster.authority.issue({
        commonName: 'old',
        names: ['127.0.0.1'],
        notBefore: new Date('2020-01-01'),
        notAfter,
      })
      const front = await remember(startFront(cluster, { tls: { cert: issued.certificate, key: issued.key } }))
      const run = await by({ cluster: { server: front.url } })
      expect(run).toMatchObject({ code: 3, stdout: '' })
      expect(run.stderr).toMatch('it has expired')
      expect(front.seen).toEqual([])
    })

    it('is taken unverified if the user says so', async () => {
      const unverified = { 'certificate-authority': '', 'tls-server-name': 'kubernetes.example' }
      expect(await by({ cluster: unverified }, [...REPORT, '--insecure-skip-tls-verify'])).toMatchObject({ code: 0 })
    })

    it('may take the APF headers away', async () => {
      const front = await remember(startFront(cluster, { strips: /^x-kubernetes-pf-/ }))
      const answer = json(await by({ cluster: { server: front.url } }, [...REPORT, '-o', 'json']))
      expect(answer.source.mode).toBe('APF')
      const run = await by({ cluster: { server: front.url } }, [...REPORT, '--verify'])
      expect(run.code).toBe(3)
      expect(run.stderr).toMatch('strips the headers')
    })

    it('may take all evidence away', async () => {
      const front = await remember(
        startFront(cluster, {
          strips: /^x-kubernetes-pf-/,
          before(request, response) {
            if (!request.url?.startsWith('/livez')) return false
            response.writeHead(404).end()
            return true
          },
        }),
      )
      const answer = json(await by({ cluster: { server: front.url } }, [...REPORT, '-o', 'json']))
      expect(answer.source.mode).toBe('Unknown')
    })
  })

  describe('a second server of the cluster, with APF off', () => {
    let off: ApiServer

    beforeAll(async () => {
      off = await cluster.addServer(['--enable-priority-and-fairness=false'])
    })

    it('is what another context says, and the answer is what would be', async () => {
      const [on, without] = [cluster.kubeconfig(), cluster.kubeconfig({ cluster: { server: off.url } })]
      const merged = mergedKubeconfig({ on, off: without })
      const modes = ['on', 'off'].map(async (context) => {
        return json(await apf(cluster, [...REPORT, '--context', context, '-o', 'json'], { kubeconfig: merged })).source
          .mode
      })
      expect(await Promise.all(modes)).toEqual(['APF', 'NotAPF'])
      const { code, stdout } = await apf(cluster, [...REPORT, '--context=off'], { kubeconfig: merged })
      expect(code).toBe(0)
      expect(stdout.split('\n')[0]).toMatch(
        /^APF is off on this server; with APF .* would land in shop through shop-reports/,
      )
    })

    it('has nothing to verify', async () => {
      const run = await by({ cluster: { server: off.url } }, [...REPORT, '--verify'])
      expect(run.code).toBe(3)
      expect(run.stderr).toMatch('APF is off on this server')
    })
  })

  it('may have a server without the API of APF', async () => {
    const off = API_VERSIONS.map((version) => `${version}=false`).join(',')
    const { url } = await cluster.addServer(['--enable-priority-and-fairness=false', `--runtime-config=${off}`])
    const run = await by({ cluster: { server: url } })
    expect(run).toMatchObject({ code: 3, stdout: '' })
    expect(run.stderr).toMatch('the server has no API group flowcontrol.apiserver.k8s.io (404)')
    expect(run.stderr).toMatch('the API is switched off')
  })
})

/** A user whose credentials come from a shell script. */
function plugin(script: string): object {
  const command = cluster.file('plugin')
  writeFileSync(command, `#!/bin/sh\n${script}\n`)
  chmodSync(command, 0o700)
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' } }
}

/** One kubeconfig out of several, each of whose entries get the name given. */
function mergedKubeconfig(files: Record<string, string>): string {
  const parts = Object.entries(files).map(([name, file]) => {
    const { clusters, users } = JSON.parse(readFileSync(file, 'utf8'))
    return {
      cluster: { ...clusters[0], name },
      user: { ...users[0], name },
      context: { name, context: { cluster: name, user: name } },
    }
  })
  const merged = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: parts.map(({ cluster }) => cluster),
    users: parts.map(({ user }) => user),
    contexts: parts.map(({ context }) => context),
    'current-context': Object.keys(files)[0],
  }
  const path = cluster.file('kubeconfig-merged.json')
  writeFileSync(path, JSON.stringify(merged))
  return path
}
