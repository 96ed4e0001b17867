/** The documents say what the program does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visibleCommands } from '../src/cli/manifest.ts'
import { type LiveCluster, landing, removeWorkplace, startLiveCluster } from './cli/live-cluster.ts'
import { SCRAPE } from './cli/scrapes.ts'
import { ROOT, type Run, run } from './support/cli.ts'

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/ci.md',
  'docs/conformance.md',
  'docs/dependencies.md',
  'docs/input.md',
  'docs/commands/explain-429.md',
  'docs/commands/audit-exempt.md',
  'docs/commands/explain.md',
  'docs/commands/isolate.md',
  'docs/commands/limits.md',
  'docs/commands/lint.md',
  'docs/commands/schemas.md',
  'docs/commands/seats.md',
  'docs/commands/simulate.md',
  'docs/commands/status.md',
  'docs/commands/test.md',
  'docs/commands/whereis.md',
]
const PROMPT = '$ kubectl apf '

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** What its page shows is answered by a real API server: see test/e2e/walkthrough.e2e.ts. */
const RUN_ON_A_SERVER = 'docs/walkthrough.md'

/** Calls that a document shows, each with the output below it. */
function examples(document: string): { line: string; output: string }[] {
  return [...read(document).matchAll(/^```\n(\$ kubectl apf .*?)^```$/gms)].map(([, block = '']) => {
    const end = block.indexOf('\n')
    return { line: block.slice(PROMPT.length, end), output: block.slice(end + 1) }
  })
}

function offline(line: string): Promise<Run> {
  const PATH = `${ROOT}bin:${process.env['PATH'] ?? ''}`
  return run('sh', ['-c', `kubectl-apf ${line}`], { env: { PATH } })
}

/** Calls without another source are answered by a stub with default objects. */
function asksCluster(line: string): boolean {
  return !/^(?:explain|explain-429|limits|lint)\b|--(?:from|defaults|metrics)\b/.test(line)
}

let live: LiveCluster
beforeAll(async () => {
  const pods = [
    'apiserver_storage_objects{resource="pods"} 4812',
    'apiserver_resource_size_estimate_bytes{group="",resource="pods"} 9624000',
  ]
  const toWorkload = { headers: landing('service-accounts', 'workload-low') }
  live = await startLiveCluster({
    '/api/v1/namespaces/shop/pods': toWorkload,
    '/api/v1/namespaces/default/pods': toWorkload,
    '/metrics': { body: [SCRAPE, ...pods, ''].join('\n') },
    '/healthz': { headers: landing('probes', 'exempt') },
  })
})
afterAll(async () => {
  await live.close()
  removeWorkplace()
})

describe.each([...DOCUMENTS, RUN_ON_A_SERVER])('%s', (document) => {
  const calls = (document === RUN_ON_A_SERVER ? [] : examples(document)).map(
    ({ line, output }) => [line, output] as const,
  )

  if (calls.length > 0) {
    it.each(calls)('shows what is answered to %s', async (line, output) => {
      const { code, stdout } = asksCluster(line) ? await live.apf(line) : await offline(line)
      expect(stdout).toBe(output)
      expect(code).toBe(0)
    })
  }

  it('has links that lead somewhere', () => {
    const targets = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target)
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([])
  })
})

describe('README.md', () => {
  it('opens with the two set-up commands', () => {
    expect(read('README.md').split('\n').slice(0, 6)).toEqual([
      '# kubectl apf',
      '',
      '```',
      'npm ci && bin/kubectl-apf whereis list pods -n shop --as=system:serviceaccount:shop:reporter --defaults 1.37',
      'npm ci && npm test',
      '```',
    ])
  })
})

describe('docs/conformance.md', () => {
  it('counts the probes', () => {
    const folder = `${ROOT}test/fixtures/probes`
    const counts = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).probes.length)
    const total = counts.reduce((sum, count) => sum + count, 0)
    expect(read('docs/conformance.md')).toContain(`| ${total.toLocaleString('en')} |`)
  })
})

describe('docs/commands', () => {
  it.each(visibleCommands().filter((name) => name !== 'version'))('has a page for %s', (name) => {
    expect(existsSync(join(ROOT, `docs/commands/${name}.md`))).toBe(true)
  })
})
