import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // The CLI tests start processes: two cores are enough for two workers.
    maxWorkers: 2,
  },
})
