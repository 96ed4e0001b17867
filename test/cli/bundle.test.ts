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

/** Files of the bundle that are loaded with one of them, before any import() in it runs. */
function filesLoadedWith(entryPoint: string): Output[] {
  const start = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entryPoint)
  if (start === undefined) throw new Error(`${entryPoint} is not in the bundle`)
  const loaded = new Map<string, Output>()
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const output = outputs[path]
    if (output === undefined || loaded.has(path)) continue
    loaded.set(path, output)
    for (const { path, kind, external } of output.imports) {
      if (kind === 'import-statement' && !external) waiting.push(path)
    }
  }
  return [...loaded.values()]
}

/** Source files in there. */
function loadedWith(entryPoint: string): string[] {
  return filesLoadedWith(entryPoint).flatMap(({ inputs }) => Object.keys(inputs))
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

describe('what a command imports of Node at start', () => {
  // An import of node:fs alone loads all of Node's streams.
  it.each(COMMANDS)('%s: nothing', (command) => {
    const files = [...filesLoadedWith('src/cli/main.ts'), ...filesLoadedWith(`src/commands/${command}.ts`)]
    const imported = files.flatMap(({ imports }) =>
      imports.filter(({ kind, external }) => external && kind === 'import-statement').map(({ path }) => path),
    )
    expect(imported).toEqual([])
  })
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
