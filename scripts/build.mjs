// Bundles src/cli/main.ts into dist/: one ESM bundle, split by command, without dependencies.
// dist/meta.json (not shipped) says what is in each file; test/cli/bundle.test.ts reads it.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { slimOclif } from './slim-oclif.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Also called before the tests, which run the program as its bundle. */
export async function setup() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'dist',
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    // CommonJS dependencies require Node's own modules.
    banner: {
      js: "import{createRequire as createRequireOfModule}from'node:module';const require=createRequireOfModule(import.meta.url);",
    },
    plugins: [slimOclif],
    logLevel: 'warning',
  })
  writeFileSync(join(root, 'dist', 'meta.json'), JSON.stringify(metafile))
  removeStaleChunks(new Set(Object.keys(metafile.outputs)))
}

function removeStaleChunks(current) {
  for (const name of readdirSync(join(root, 'dist', 'chunks'))) {
    if (!current.has(`dist/chunks/${name}`)) rmSync(join(root, 'dist', 'chunks', name))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup()
