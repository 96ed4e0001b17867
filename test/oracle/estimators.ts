/**
 * The work estimators and allocations of many releases in one program. Both depend on little else, so that their sources of
 * all releases compile against the newest module; only the gates, which do not live that long, are looked up elsewhere.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { VERSION_TABLE, type VersionRules } from '../../src/apf/versions.ts'
import { buildFlags, cacheFolder, downloadModule, go, repositoryRoot } from '../support/go-programs.ts'
import { DEFAULT_UPSTREAM } from './build.ts'

const SOURCES = join(repositoryRoot(), 'test', 'oracle')

/** First minor with an estimator. */
const FIRST_MINOR = 23

/** Rules whose exceptions show in an estimator. */
const ESTIMATOR_RULES: readonly (keyof VersionRules)[] = ['uncountedListCost', 'namedListCostsOne', 'seatCapPerLevel']

/** The newest patch of every minor, and both sides of every patch that changed an estimator. */
export function estimatorReleases(): string[] {
  return VERSION_TABLE.filter(({ minor }) => minor >= FIRST_MINOR).flatMap(({ minor, lastPatch, exceptions }) => {
    const changes = exceptions
      .filter(({ differs }) => ESTIMATOR_RULES.some((rule) => rule in differs))
      .flatMap(({ patches: [, last] }) => [last, last + 1])
    return [...new Set([...changes, lastPatch])].map((patch) => `0.${minor}.${patch}`)
  })
}

/** Builds the program over the given releases and returns its path. */
export async function buildEstimators(releases: readonly string[]): Promise<string> {
  const folder = cacheFolder(DEFAULT_UPSTREAM)
  const module = join(folder, 'estimators-src')
  const program = join(module, 'estimators')
  rmSync(program, { recursive: true, force: true })
  mkdirSync(program, { recursive: true })
  cpSync(join(SOURCES, 'estimators'), program, { recursive: true })
  for (const file of ['go.mod', 'go.sum']) cpSync(join(SOURCES, file), join(module, file))
  const entries: string[] = []
  const imports: string[] = []
  for (const release of releases) {
    const sources = join(await downloadModule(`k8s.io/apiserver@v${release}`), 'pkg/util/flowcontrol')
    const name = `v${release.replaceAll('.', '_')}`
    copyEstimator(join(sources, 'request'), join(program, name))
    imports.push(`\t${name} "oracle/estimators/${name}"\n`)
    const allocates = existsSync(join(sources, 'conc_alloc.go'))
    if (allocates) {
      copyAllocation(sources, join(program, name, 'alloc'))
      imports.push(`\t${name}_alloc "oracle/estimators/${name}/alloc"\n`)
    }
    const allocate = allocates ? `, Allocate: ${name}_alloc.Allocate` : ''
    entries.push(`\treleases["${release}"] = contract.Release{Estimate: ${name}.Estimate${allocate}}\n`)
  }
  writeFileSync(
    join(program, 'releases.go'),
    `package main\n\nimport (\n\t"oracle/estimators/contract"\n${imports.join('')})\n\nfunc init() {\n${entries.join('')}}\n`,
  )
  const executable = join(folder, 'estimators')
  await go(module, ['build', ...buildFlags(), '-o', executable, './estimators'])
  return executable
}

/** Takes in upstream's package with its gates looked up in ours, and gives it one way to be asked in all releases. */
function copyEstimator(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  const files = readdirSync(from).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
  let estimator = ''
  for (const file of files) {
    const source = readFileSync(join(from, file), 'utf8')
    if (file === 'width.go') estimator = source
    writeFileSync(join(to, file), withOurGates(source))
  }
  writeFileSync(join(to, 'adapter.go'), estimatorAdapter(estimator))
}

function withOurGates(source: string): string {
  return source
    .replace(/utilfeature\.DefaultFeatureGate\.Enabled\(features\.(\w+)\)/g, 'gates.Enabled("$1")')
    .replace(/^\tutilfeature "k8s.io\/apiserver\/pkg\/util\/feature"$/m, '\t"oracle/estimators/gates"')
    .replace(/^\t"k8s.io\/apiserver\/pkg\/features"\n/m, '')
}

function estimatorAdapter(source: string): string {
  const bySize = source.includes('statsGetterFunc')
  const configured = source.includes('config *WorkEstimatorConfig')
  const capped = source.includes('maxSeatsFn maxSeatsFunc)')
  const counted = bySize ? 'storage.Stats' : 'int64'
  const value = bySize
    ? 'storage.Stats{ObjectCount: statistics.Count, EstimatedAverageObjectSizeBytes: statistics.AverageBytes}'
    : 'statistics.Count'
  const level = 'func(string) uint64 { return maxSeats }'
  return `package request

import (
\t"net/http"

\tapirequest "k8s.io/apiserver/pkg/endpoints/request"
${bySize ? '\t"k8s.io/apiserver/pkg/storage"\n' : ''}\t"oracle/estimators/contract"
)

func Estimate(r *http.Request, statistics contract.Statistics, watches int, maxSeats uint64) contract.Estimate {
\tcount := func(string) (none ${counted}, err error) {
\t\tswitch statistics.State {
\t\tcase "stale":
\t\t\treturn none, ObjectCountStaleErr
\t\tcase "notfound":
\t\t\treturn none, ObjectCountNotFoundErr
\t\t}
\t\treturn ${value}, nil
\t}
\twatched := func(*apirequest.RequestInfo) int { return watches }
\tasked := NewWorkEstimator(count, watched${configured ? ', DefaultWorkEstimatorConfig()' : ''}${capped ? `, ${level}` : ''})
\testimate := asked.EstimateWork(r, "schema", "level")
\treturn contract.Estimate{
\t\tInitialSeats:      uint64(estimate.InitialSeats),
\t\tFinalSeats:        uint64(estimate.FinalSeats),
\t\tAdditionalLatency: estimate.AdditionalLatency.Nanoseconds(),
\t}
}
`
}

function copyAllocation(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  cpSync(join(from, 'conc_alloc.go'), join(to, 'conc_alloc.go'))
  writeFileSync(
    join(to, 'adapter.go'),
    `package flowcontrol

import "oracle/estimators/contract"

func Allocate(required int, items []contract.Item) ([]float64, float64, error) {
\tclasses := make([]allocProblemItem, len(items))
\tfor i, item := range items {
\t\tclasses[i] = allocProblemItem{lowerBound: item.Lower, upperBound: item.Upper, target: item.Target}
\t}
\treturn computeConcurrencyAllocation(required, classes)
}
`,
  )
}

export interface EstimateQuestion {
  method: string
  url: string
  statistics: { state: 'ok' | 'stale' | 'notfound'; count: number; averageBytes: number }
  watches: number
  maxSeats: number
  gates: string[]
}

export interface AllocationQuestion {
  required: number
  items: { lower: number; upper: number; target: number }[]
}

export interface EstimatorQuestion {
  release: string
  estimates: EstimateQuestion[]
  allocations: AllocationQuestion[]
}

export interface EstimatorReply {
  estimates: { initialSeats: number; finalSeats: number; additionalLatencyNanoseconds: number }[] | null
  allocations: { seats: number[] | null; proportion: number; error?: string }[] | null
}

/** Asks one question after the other and hands every answer over with its question. */
export async function askEstimators(
  program: string,
  questions: readonly EstimatorQuestion[],
  onReply: (question: EstimatorQuestion, reply: EstimatorReply) => void,
): Promise<void> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  try {
    for (const question of questions) {
      child.stdin.write(`${JSON.stringify(question)}\n`)
      const { value, done } = await replies.next()
      if (done) throw new Error('the estimators have ended')
      onReply(question, JSON.parse(value))
    }
  } finally {
    child.stdin.end()
  }
}
