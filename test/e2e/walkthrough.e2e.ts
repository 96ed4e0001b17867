/**
 * docs/walkthrough.md is what a real API server answers, from its first call to its last. `npm run walkthrough` writes
 * the answers of today into the page.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROOT, run } from '../support/cli.ts'
import { DEFAULT_RELEASE } from './build.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { missing, programs, RELEASE, title } from './support.ts'
import { type PageRunner, runPage } from './walkthrough.ts'

const PAGE = join(ROOT, 'docs/walkthrough.md')
const writes = process.env['APF_WALKTHROUGH'] === 'write'
/** Until all of a server goes by what its controller has taken up. */
const REST_MS = 2000

/** The two accounts of the page: one may list pods, the other may do nothing. */
const SETTING = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pod-lister}
rules: [{apiGroups: [''], resources: [pods], verbs: [list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reporter-lists-pods}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pod-lister}
subjects: [{kind: ServiceAccount, name: reporter, namespace: shop}]
`

/** Other releases answer otherwise here and there. */
const otherRelease = RELEASE === DEFAULT_RELEASE ? '' : ` [the page is of ${DEFAULT_RELEASE}]`

let cluster: Cluster

describe.skipIf(missing ?? otherRelease)(title('the walkthrough') + otherRelease, () => {
  beforeAll(async () => {
    cluster = await startCluster(programs())
    await cluster.create(SETTING)
  })
  afterAll(() => cluster?.stop())

  it('shows what is answered, call by call', { timeout: 240_000 }, async () => {
    const page = readFileSync(PAGE, 'utf8')
    const rendered = await runPage(page, shellOn(cluster))
    if (writes) writeFileSync(PAGE, rendered)
    else expect(rendered).toBe(page)
  })
})

/** A shell in a folder of its own, with kubectl and the plugin on PATH. */
function shellOn(cluster: Cluster): PageRunner {
  const cwd = join(cluster.folder, 'walkthrough')
  mkdirSync(cwd)
  const path = [dirname(programs().kubectl), inject('installed'), process.env['PATH']]
  const shell = { cwd, env: { ...cluster.env, PATH: path.join(':'), KUBECONFIG: cluster.kubeconfig() } }
  return {
    writeFile: (name, text) => writeFileSync(join(cwd, name), text),
    async call(command) {
      const { code, stdout, stderr } = await run('sh', ['-c', command], shell)
      if (code !== 0) throw new Error(`${command} ends with ${code}: ${stdout}${stderr}`)
      if (/^kubectl (?:apply|delete) /.test(command)) await settled()
      return stdout
    },
  }
}

async function settled(): Promise<void> {
  await cluster.settled()
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
}
