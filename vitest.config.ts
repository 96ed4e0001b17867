import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // The CLI tests start processes: two cores are enough for two workers.
    maxWorkers: 2,
    // The program is tested as its bundle: built before any test, so that it is never an old one.
    globalSetup: ['scripts/build.mjs'],
    reporters: ['default', './scripts/skips-reporter.mjs'],
  },
})
