import { defineConfig } from 'vitest/config'

/** The suffix is the cost: `.spec.ts` is pure, `.int.spec.ts` needs Postgres or an event store, `.e2e.spec.ts` a browser. */
export default defineConfig({
  test: {
    include: ['{backend,projections,workflows,site,content,scripts}/**/*.spec.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
