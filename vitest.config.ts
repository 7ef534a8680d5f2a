import { configDefaults, defineConfig } from 'vitest/config'
import CostliestFirst from './scripts/testing/costliestFirst.mjs'

/** They assert seconds in the full run. */
const LAYOUTS = 'backend/app/layouts/{layoutKilled,rollingUpgrade}.int.spec.ts'

/**
 * Tests that mostly wait: for timeouts, leases and restarted servers. They run four at a time, before all others.
 * docs/decisions/0039-time-of-the-tests.md.
 */
const WAITS = [
  'backend/app/degraded.int.spec.ts',
  'backend/app/outages/*.int.spec.ts',
  'backend/audit/eventStoreDb.int.spec.ts',
  'backend/kernel/postgres/leases.int.spec.ts',
  'workflows/temporal/{temporal,outages}.int.spec.ts',
  ...(process.env.KINORA_FULL ? [] : [LAYOUTS]),
]

/** Tests that measure time or CPU. They run alone, after all others. */
const MEASURES = [
  'backend/accounts/sessions/timing.int.spec.ts',
  'backend/kernel/http/socketLoad.int.spec.ts',
  'backend/providers/video/demo/demoProvider.int.spec.ts',
  'backend/providers/video/demo/renderJob.int.spec.ts',
  'site/e2e/dashboard/boardPaint.e2e.spec.ts',
  'site/e2e/lighthouse.e2e.spec.ts',
  'site/e2e/workspace/nextPaint.e2e.spec.ts',
  // These assert a time only in the full run.
  ...(process.env.KINORA_FULL
    ? [
        LAYOUTS,
        'backend/testing/attack/attack.int.spec.ts',
        'site/e2e/library/scroll.e2e.spec.ts',
        'workflows/temporal/startBacklog.int.spec.ts',
      ]
    : []),
]

const BROWSER = 'site/e2e/**/*.e2e.spec.ts'
/** A machine that is slow for a moment fails a test of a browser or of a time. The run lists tests that passed at the second attempt. */
const SECOND_ATTEMPT = 1

/**
 * The suffix shows what a test needs: `.spec.ts` is pure, `.int.spec.ts` needs Postgres or an event store,
 * `.e2e.spec.ts` a browser.
 */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['scripts/testing/templateFolder.mjs'],
    sequence: { sequencer: CostliestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'suites',
          include: ['{backend,projections,workflows,site,content,scripts}/**/*.spec.{ts,tsx}'],
          exclude: [...configDefaults.exclude, '**/dist/**', BROWSER, ...WAITS, ...MEASURES],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          exclude: [...configDefaults.exclude, ...MEASURES],
          maxWorkers: 2,
          retry: SECOND_ATTEMPT,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'waits', include: WAITS, maxWorkers: 4, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'measures',
          include: MEASURES,
          maxWorkers: 1,
          retry: SECOND_ATTEMPT,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
