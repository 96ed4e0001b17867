/**
 * lint of 1,000 files with 2,000 objects: wall time and memory of the whole process; and of one file against whereis over the
 * same file, in turns.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILES = 1000
const ROUNDS = 3
const TURNS = 15
const BARS = { seconds: 2, megabytes: 300, ratio: 1.3 }

const bin = fileURLToPath(new URL('../bin/kubectl-apf', import.meta.url))
const shop = fileURLToPath(new URL('../examples/shop.yaml', import.meta.url))
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
const folder = mkdtempSync(join(tmpdir(), 'lint-bench-'))

/** A FlowSchema and its level for one team. */
function manifests(index: number): string {
  const team = `team-${String(index).padStart(4, '0')}`
  return `\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ${team}
spec:
  matchingPrecedence: ${1001 + index * 7}
  priorityLevelConfiguration:
    name: ${team}
  distinguisherMethod:
    type: ByUser
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount: {namespace: ${team}, name: '*'}
      resourceRules:
        - verbs: [list, watch]
          apiGroups: ['']
          resources: [pods, services]
          clusterScope: true
          namespaces: ['*']
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: ${team}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    lendablePercent: 50
    limitResponse:
      type: Queue
      queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}
`
}

/** Reports the peak memory of the process that it is loaded into. */
const PROBE = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'))`

interface Measured {
  seconds: number
  megabytes: number
}

function measure(args: readonly string[]): Measured {
  const start = performance.now()
  const probe = ['--import', `data:text/javascript,${encodeURIComponent(PROBE)}`]
  const { status, stderr, error } = spawnSync(process.execPath, [...probe, bin, ...args], { env, maxBuffer: 1 << 28 })
  if (error || status === null || status > 1) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`)
  const seconds = (performance.now() - start) / 1000
  return { seconds, megabytes: Number(/peak (\d+)/.exec(stderr.toString())?.[1]) / 1024 }
}

let held = true
function judge(what: string, value: number, bar: number, unit: string): void {
  held &&= value <= bar
  console.log(`${what}: ${value.toFixed(2)} ${unit}, bar ${bar}: ${value <= bar ? 'held' : 'MISSED'}`)
}

try {
  mkdirSync(join(folder, 'many'))
  for (let index = 0; index < FILES; index++) writeFileSync(join(folder, 'many', `${index}.yaml`), manifests(index))
  const many = Array.from({ length: ROUNDS }, () => measure(['lint', join(folder, 'many'), '--target', '1.37', '-q']))
  judge(`${FILES} files`, Math.min(...many.map(({ seconds }) => seconds)), BARS.seconds, 's')
  judge(`${FILES} files`, Math.max(...many.map(({ megabytes }) => megabytes)), BARS.megabytes, 'MB')

  const source = ['--from', shop, '--defaults', '1.37', '-q']
  const sides: Record<'lint' | 'whereis', readonly string[]> = {
    lint: ['lint', ...source, '--fail-on', 'never'],
    whereis: ['whereis', 'list', 'pods', '-n', 'shop', '--as=system:serviceaccount:shop:reporter', ...source],
  }
  const best = { lint: Number.POSITIVE_INFINITY, whereis: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < TURNS; turn++) {
    best.lint = Math.min(best.lint, measure(sides.lint).seconds)
    best.whereis = Math.min(best.whereis, measure(sides.whereis).seconds)
  }
  judge('one file, against whereis', best.lint / best.whereis, BARS.ratio, 'times')
} finally {
  rmSync(folder, { recursive: true })
}
if (!held && process.argv.includes('--check')) process.exitCode = 1
