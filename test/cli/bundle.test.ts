import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { describe, expect, it } from 'vitest'
import { manifest } from '../../src/cli/manifest.ts'
import { ROOT } from '../support/cli.ts'

interface Output {
  entryPoint?: string
  imports: { path: string; kind: string; external?: boolean }[]
  inputs: Record<string, unknown>
}

const outputs: Record<string, Output> = JSON.parse(readFileSync(`${ROOT}dist/meta.json`, 'utf8')).outputs

/** Source files that are loaded with a file of the bundle, before any import() in it runs. */
function loadedWith(entryPoint: string): string[] {
  const start = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entryPoint)
  if (start === undefined) throw new Error(`${entryPoint} is not in the bundle`)
  const seen = new Set<string>()
  const inputs = new Set<string>()
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const output = outputs[path]
    for (const input of Object.keys(output?.inputs ?? {})) inputs.add(input)
    for (const { path, kind, external } of output?.imports ?? []) {
      if (kind === 'import-statement' && !external) waiting.push(path)
    }
  }
  return [...inputs]
}

const withMain = (command: string) => [...loadedWith('src/cli/main.ts'), ...loadedWith(`src/commands/${command}.ts`)]

const COMMANDS = Object.keys(manifest).map((name) => name.replace('__', ''))

describe.each(COMMANDS)('what %s loads', (command) => {
  const inputs = withMain(command)
  it.each([
    ["client-node's generated models", /@kubernetes\/client-node\/dist\/gen\//],
    ['ink', /node_modules\/ink\//],
    ['react', /node_modules\/react/],
    ['yaml', /node_modules\/(js-)?yaml\//],
    ["oclif's help", /@oclif\/core\/lib\/help\//],
    ["oclif's configuration", /@oclif\/core\/lib\/config\//],
  ])('has nothing of %s', (_, pattern) => expect(inputs.filter((input) => pattern.test(input))).toEqual([]))
})

describe('the bundle', () => {
  it('holds every command, each in a file of its own', () => {
    const entryPoints = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
    expect(entryPoints).toEqual(expect.arrayContaining(COMMANDS.map((command) => `src/commands/${command}.ts`)))
  })

  it('imports nothing but itself and Node', () => {
    const external = Object.values(outputs).flatMap(({ imports }) =>
      imports.filter((imported) => imported.external).map(({ path }) => path.replace(/^node:/, '')),
    )
    expect([...new Set(external)].filter((path) => !isBuiltin(path))).toEqual([])
  })
})
