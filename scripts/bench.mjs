// `npm run bench`: all benchmarks, one after the other; `npm run bench -- start`: one of them, bench/start.bench.ts.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runTypeScript } from './run-typescript.mjs'

const SUFFIX = '.bench.ts'

const known = readdirSync(fileURLToPath(new URL('../bench', import.meta.url)))
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
const asked = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : known) {
  console.log(`# ${name}`)
  await runTypeScript(`bench/${name}${SUFFIX}`)
}
