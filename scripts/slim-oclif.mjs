// What makes oclif start fast inside a bundle.
import { readFileSync } from 'node:fs'

const OCLIF_MODULE = /@oclif[\\/]core[\\/]lib[\\/].*\.js$/

/** Packages that an in-memory plugin never reaches: file discovery, transpiling, spinners, debug output. */
const UNREACHED = /^(tinyglobby|minimatch|semver|lilconfig|wsl-utils|cli-spinners|get-package-type|typescript|debug)$/

/** The parser and the flags reach for these only where they print, which we do ourselves; each leads to all of oclif's help. */
const CUT = [
  { from: /@oclif[\\/]core[\\/]lib[\\/]errors[\\/]index\.js$/, to: './handle' },
  { from: /@oclif[\\/]core[\\/]lib[\\/]errors[\\/](error|warn)\.js$/, to: './errors/pretty-print' },
  { from: /@oclif[\\/]core[\\/]lib[\\/]errors[\\/]errors[\\/]cli\.js$/, to: 'wrap-ansi' },
  { from: /@oclif[\\/]core[\\/]lib[\\/]errors[\\/]errors[\\/]cli\.js$/, to: '../../ux/theme' },
  { from: /@oclif[\\/]core[\\/]lib[\\/]flags\.js$/, to: './help' },
  { from: /@oclif[\\/]core[\\/]lib[\\/]parser[\\/]index\.js$/, to: './help' },
]

const DEBUG_STUB =
  'const silent = Object.assign(() => {}, { enabled: false, extend: () => silent }); module.exports = () => silent'

/**
 * Every `const x_1 = require("y")` of oclif runs on first use, so that a call loads what it needs and no more; packages and
 * edges that cannot be reached are empty. A test of the bundle holds the list to what is really loaded.
 */
export const slimOclif = {
  name: 'slim-oclif',
  setup(build) {
    build.onResolve({ filter: UNREACHED }, ({ path }) => ({ path, namespace: 'unreached' }))
    build.onResolve({ filter: /.*/ }, ({ path, importer }) =>
      CUT.some(({ from, to }) => to === path && from.test(importer)) ? { path, namespace: 'unreached' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'unreached' }, ({ path }) => ({
      contents: path === 'debug' ? DEBUG_STUB : 'module.exports = {}',
    }))
    build.onLoad({ filter: OCLIF_MODULE }, ({ path }) => ({
      // An import() of an empty package would be an entry point of the bundle.
      contents: withLazyRequires(readFileSync(path, 'utf8')).replaceAll("import('wsl-utils')", 'Promise.resolve({})'),
      loader: 'js',
    }))
  },
}

/** Rewrites TypeScript's CommonJS imports: the module is required where its name is used, once. */
export function withLazyRequires(source) {
  const names = []
  const rewritten = source.replace(
    /^(?:const|var) (\w+_\d+) = ((?:__importDefault|__importStar)?\(?require\("[^"]+"\)\)?);$/gm,
    (_, name, required) => {
      names.push(name)
      return `let loaded_${name}; const lazy_${name} = () => (loaded_${name} ??= ${required});`
    },
  )
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w.])${name}\\b`, 'g'), `(lazy_${name}())`),
    rewritten,
  )
}
