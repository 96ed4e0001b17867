/** A stub server with the default objects of Kubernetes 1.37, spoken to by TLS, for tests that run the program. */
import { defaultObjects } from '../../src/apf/defaults/index.ts'
import type { ApfObject } from '../../src/apf/objects.ts'
import { rulesFor } from '../../src/apf/versions.ts'
import { type Authority, createAuthority } from '../sources/live/certificates.ts'
import { cluster, LEVELS, list, PF, SCHEMAS } from '../sources/live/cluster-answers.ts'
import { base64, kubeconfig, type Workplace, workplace } from '../sources/live/connect-helpers.ts'
import { type StubServer, startStub } from '../sources/live/stub-server.ts'
import { apf, type Run } from '../support/cli.ts'

/** UID of every object: its name with this in front. */
const uid = (name: string) => `uid-${name}`

export const landing = (schema: string, level: string) => PF(uid(schema), uid(level))

function served({ metadata: { name, labels, annotations }, spec }: ApfObject): object {
  return { metadata: { name, uid: uid(name), generation: 1, labels, annotations }, spec, status: { conditions: [] } }
}

type Answers = NonNullable<Parameters<typeof cluster>[0]>

/** As kubeadm's administrator sees it, who is in no special group. */
const OWN = landing('global-default', 'global-default')

/** A small part of what a server tells of its resources, in the form of aggregated discovery. */
function discovery(groups: Record<string, readonly string[]>): object {
  const items = Object.entries(groups).map(([name, resources]) => ({
    metadata: { name },
    versions: [
      {
        version: 'v1',
        resources: resources.map((resource) => ({
          resource,
          responseKind: { kind: resource },
          scope: 'Namespaced',
          singularResource: '',
          subresources: [],
        })),
      },
    ],
  }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
}

export function standardAnswers(): Answers {
  const { flowSchemas, priorityLevels } = defaultObjects(rulesFor({ minor: 37 }))
  return {
    '/version': { body: { major: '1', minor: '37', gitVersion: 'v1.37.2' }, headers: OWN },
    [SCHEMAS]: { body: list(flowSchemas.map(served)), headers: OWN },
    [LEVELS]: { body: list(priorityLevels.map(served)), headers: OWN },
    '/api': { body: discovery({ '': ['pods', 'configmaps'] }), headers: OWN },
    '/metrics': { status: 403, body: 'forbidden', headers: OWN },
    '/apis': { body: discovery({ 'example.com': ['widgets'] }), headers: OWN },
  }
}

export interface LiveCluster {
  /** Runs `kubectl apf` with a kubeconfig for the cluster; its URL in what is printed becomes `https://server`. */
  apf(line: string, options?: CallOptions): Promise<Run>
  /** URLs asked for since it started. */
  asked: StubServer['asked']
  close(): Promise<void>
}

export interface CallOptions {
  /** `user` of the kubeconfig; without it the client certificate of jane in group dev. */
  user?: object
  context?: object
}

let shared: { authority: Authority; place: Workplace } | undefined
let calls = 0

/** @param otherwise  answers that differ, by path */
export async function startLiveCluster(otherwise: Answers = {}): Promise<LiveCluster> {
  shared ??= { authority: createAuthority('authority'), place: workplace() }
  const { authority, place } = shared
  const own = authority.issue({ commonName: 'server', names: ['127.0.0.1'] })
  const jane = authority.issue({ commonName: 'jane', organizations: ['dev'] })
  const tls = { cert: own.certificate, key: own.key, ca: authority.certificate, requestCert: true }
  const stub = await startStub(cluster({ ...standardAnswers(), ...otherwise }), { ...tls, rejectUnauthorized: false })
  const certificate = {
    'client-certificate-data': base64(jane.certificate),
    'client-key-data': base64(jane.key),
  }
  return {
    asked: stub.asked,
    async apf(line, { user = certificate, context = {} } = {}) {
      const entry = { server: stub.url, 'certificate-authority-data': base64(authority.certificate) }
      const number = calls++
      const config = place.write(`config-${number}`, kubeconfig(entry, user, context))
      // A home of its own, so that no call finds what another has kept of discovery.
      const env = { KUBECONFIG: config, HOME: `${place.folder}/home-${number}` }
      const { code, stdout, stderr } = await apf(line.split(' '), { env })
      const named = (text: string) => text.replaceAll(stub.url, 'https://server')
      return { code, stdout: named(stdout), stderr: named(stderr) }
    },
    close: () => stub.close(),
  }
}

export function removeWorkplace(): void {
  shared?.place.remove()
  shared = undefined
}
