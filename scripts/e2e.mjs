// Tests against real API servers; see test/e2e/main.ts for the options.
import { runTypeScript } from './run-typescript.mjs'

await runTypeScript('test/e2e/main.ts')
