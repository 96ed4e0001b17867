// Compares the core with upstream's own code on random requests; see test/oracle/main.ts for the options.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = `${root}test/oracle/main.ts`
const outfile = `${root}node_modules/.cache/oracle.mjs`

await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // The sources look for files beside them.
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) },
  logLevel: 'warning',
})
await import(pathToFileURL(outfile).href)
