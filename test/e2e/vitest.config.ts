import { defineConfig } from 'vitest/config'

/** The tests on real API servers: `npm run e2e`, which builds those first. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    globalSetup: ['test/e2e/install.ts'],
    reporters: ['default', './scripts/skips-reporter.mjs'],
  },
})
