/** Builds the Go programs of the oracle into a cache folder, which other programs of the tests share by version. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFlags, cacheFolder, downloadModule, go, languageLines, repositoryRoot } from '../support/go-programs.ts'

export { missingToolchain } from '../support/go-programs.ts'

const SOURCES = join(repositoryRoot(), 'test', 'oracle')

/** Release of k8s.io/apiserver in the committed go.mod. */
export const DEFAULT_UPSTREAM = '0.37.2'

/**
 * Builds the oracle on one release of k8s.io/apiserver and returns the path of the program. Takes a second when the release
 * has been built before, else minutes.
 */
export async function buildOracle(upstream: string = DEFAULT_UPSTREAM): Promise<string> {
  const folder = cacheFolder(upstream)
  const program = join(folder, 'oracle')
  if (upstream === DEFAULT_UPSTREAM) {
    await go(SOURCES, ['build', ...buildFlags(), '-o', program, '.'])
    return program
  }
  const module = join(folder, 'oracle-src')
  mkdirSync(module, { recursive: true })
  for (const file of readdirSync(SOURCES)) if (/\.(go|s)$/.test(file)) cpSync(join(SOURCES, file), join(module, file))
  const sources = await downloadApiserver(upstream)
  const repositories = ['api', 'apimachinery', 'apiserver', 'client-go']
  const requirements = repositories.map((name) => `require k8s.io/${name} v${upstream}\n`)
  writeFileSync(join(module, 'go.mod'), `module oracle\n\n${languageLines(sources)}\n${requirements.join('')}`)
  await go(module, ['mod', 'tidy'])
  const tags = Number(upstream.split('.')[1]) < 29 ? ['-tags', 'v1beta3'] : []
  await go(module, ['build', ...buildFlags(), ...tags, '-o', program, '.'])
  return program
}

/** A program that sends requests through client-go and logs as components do; returns its path. */
export async function buildThrottled(): Promise<string> {
  const program = join(cacheFolder(DEFAULT_UPSTREAM), 'throttled')
  await go(SOURCES, ['build', ...buildFlags(), '-o', program, './throttled'])
  return program
}

/** Release by release: the lists of default objects, named as in DefaultLists of main.go. */
export interface DefaultLists {
  mandatoryFlowSchemas: DefaultObject[]
  suggestedFlowSchemas: DefaultObject[]
  mandatoryPriorityLevels: DefaultObject[]
  suggestedPriorityLevels: DefaultObject[]
}

/** `metadata` as Go writes it, with nulls. */
export interface DefaultObject {
  metadata: { name: string; annotations?: Record<string, string> }
  spec: object
}

/**
 * The default objects of several releases, each as written in its own source file. That file needs nothing but the API
 * types, of which the newest module still has all versions; so one program takes in the files of all releases, and what
 * would be an hour of compiling takes seconds.
 *
 * @param upstreams  releases of k8s.io/apiserver, such as `0.20.15`
 * @returns the lists by release
 */
export async function defaultsOfReleases(upstreams: readonly string[]): Promise<Record<string, DefaultLists>> {
  const folder = join(cacheFolder(DEFAULT_UPSTREAM), 'defaults-src')
  mkdirSync(folder, { recursive: true })
  const packageOf = (upstream: string): string => `v${upstream.replaceAll('.', '_')}`
  for (const upstream of upstreams) {
    const sources = await downloadApiserver(upstream)
    const source = readFileSync(join(sources, 'pkg/apis/flowcontrol/bootstrap/default.go'))
    mkdirSync(join(folder, packageOf(upstream)), { recursive: true })
    writeFileSync(join(folder, packageOf(upstream), 'default.go'), source)
  }
  const module = readFileSync(join(SOURCES, 'go.mod'), 'utf8').replace('module oracle', 'module defaults')
  writeFileSync(join(folder, 'go.mod'), module)
  cpSync(join(SOURCES, 'go.sum'), join(folder, 'go.sum'))
  writeFileSync(join(folder, 'main.go'), defaultsProgram(upstreams, packageOf))
  const { stdout } = await go(folder, ['run', '-trimpath', '.'])
  return JSON.parse(stdout)
}

function defaultsProgram(upstreams: readonly string[], packageOf: (upstream: string) => string): string {
  const imports = upstreams.map((upstream) => `\t${packageOf(upstream)} "defaults/${packageOf(upstream)}"\n`)
  const entries = upstreams.map((upstream) => {
    const from = packageOf(upstream)
    return `\t\t"${upstream}": map[string]any{
\t\t\t"mandatoryFlowSchemas":    ${from}.MandatoryFlowSchemas,
\t\t\t"suggestedFlowSchemas":    ${from}.SuggestedFlowSchemas,
\t\t\t"mandatoryPriorityLevels": ${from}.MandatoryPriorityLevelConfigurations,
\t\t\t"suggestedPriorityLevels": ${from}.SuggestedPriorityLevelConfigurations,
\t\t},\n`
  })
  return `package main

import (
\t"encoding/json"
\t"os"

${imports.join('')})

func main() {
\tjson.NewEncoder(os.Stdout).Encode(map[string]any{
${entries.join('')}\t})
}
`
}

function downloadApiserver(upstream: string): Promise<string> {
  return downloadModule(`k8s.io/apiserver@v${upstream}`)
}
