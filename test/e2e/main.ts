/** `npm run e2e -- [--server RELEASE] [FILTER…]`: builds an API server if need be, then tests on it. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { missingToolchain } from '../support/go-programs.ts'
import { buildPrograms, DEFAULT_RELEASE } from './build.ts'

const { values, positionals } = parseArgs({
  options: { server: { type: 'string', default: DEFAULT_RELEASE } },
  allowPositionals: true,
})

if (missingToolchain === null && !process.env['KUBEBUILDER_ASSETS']) {
  const started = Date.now()
  console.log(`building kube-apiserver ${values.server}, which takes some ten minutes the first time`)
  await buildPrograms(values.server)
  console.log(`built in ${Math.round((Date.now() - started) / 1000)} s`)
}
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'test/e2e/vitest.config.ts', ...positionals], {
  stdio: 'inherit',
  env: { ...process.env, APF_E2E_SERVER: values.server },
})
process.exitCode = status ?? 1
