// Compares the core with upstream's own code on random requests; see test/oracle/main.ts for the options.
import { runTypeScript } from './run-typescript.mjs'

await runTypeScript('test/oracle/main.ts')
