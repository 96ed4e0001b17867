// Runs a TypeScript program of this repository under plain Node: bundled into node_modules/.cache, then imported.
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** @param path  from the root of the repository; the program's arguments are those of this process */
export async function runTypeScript(path) {
  const outfile = `${root}node_modules/.cache/${basename(path, '.ts')}.mjs`
  await build({
    entryPoints: [`${root}${path}`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // Programs look for files beside their source.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(`${root}${path}`).href) },
    logLevel: 'warning',
  })
  return import(pathToFileURL(outfile).href)
}
