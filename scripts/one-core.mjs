// Keeps the bundle to few files. esbuild gives every set of entry points that share a module a file of its own, which for a
// program split by command means many small ones; at start each file costs about a millisecond, more than its code does.
import { readFileSync } from 'node:fs'

/** What nearly every command needs, with everything that these import: one file for all. */
const CORE = [
  ...['argv', 'flags', 'manifest', 'messages', 'parse', 'print', 'source'].map((name) => `src/cli/${name}.ts`),
  ...['explain', 'flow', 'order', 'request-info', 'classify', 'seats'].map((name) => `src/apf/${name}.ts`),
  ...['kubectl/phrase', 'kubectl/resource-name', 'report/contract', 'report/names', 'ui/numbers', 'analysis/seats'].map(
    (name) => `src/${name}.ts`,
  ),
]

/**
 * Has every entry point of the bundle, main and whatever is imported on demand, import the core.
 *
 * @param root         folder of the repository, with its slash
 * @param entryPoints  source files from the root, as the metafile names them
 */
export function oneCore(root, entryPoints) {
  const imports = CORE.map((path) => `import ${JSON.stringify(`${root}${path}`)};`).join('')
  const sources = new Set(entryPoints.map((path) => `${root}${path}`))
  return {
    name: 'one-core',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
        sources.has(path) ? { contents: `${imports}${readFileSync(path, 'utf8')}`, loader: 'ts' } : undefined,
      )
    },
  }
}
