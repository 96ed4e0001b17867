// Bundles src/cli/main.ts into dist/: one ESM bundle, split by command, without dependencies.
// dist/meta.json (not shipped) says what is in each file; test/cli/bundle.test.ts reads it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { oneCore } from './one-core.mjs'
import { slimOclif } from './slim-oclif.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const options = {
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
  logLevel: 'warning',
}

/**
 * Called by vitest before the tests, which run the program as its bundle. Sources that cannot be bundled leave no bundle
 * behind: the tests of the program fail then, the others run.
 */
export async function setup() {
  try {
    await bundle()
  } catch {
    // esbuild has printed why.
    rmSync(join(root, 'dist', 'main.js'), { force: true })
  }
}

async function bundle() {
  // The first pass finds out what is imported on demand.
  const { metafile: found } = await build({ ...options, write: false, plugins: [slimOclif] })
  const entryPoints = Object.values(found.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  const { metafile } = await build({ ...options, plugins: [oneCore(root, entryPoints), slimOclif] })
  writeFileSync(join(root, 'dist', 'meta.json'), JSON.stringify(metafile))
  writeFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES'), thirdPartyLicences(Object.keys(metafile.inputs)))
  removeStaleChunks(new Set(Object.keys(metafile.outputs)))
}

/** The licence texts of everything that the bundle contains, as those licences ask for. */
function thirdPartyLicences(inputs) {
  const folders = new Set(inputs.flatMap((input) => input.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []))
  return [...folders]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`
  return `${name} ${version} (${license})\n${text}`
}

function removeStaleChunks(current) {
  for (const name of readdirSync(join(root, 'dist', 'chunks'))) {
    if (!current.has(`dist/chunks/${name}`)) rmSync(join(root, 'dist', 'chunks', name))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle()
