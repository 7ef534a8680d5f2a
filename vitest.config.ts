import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import CostliestFirst from './scripts/testing/costliestFirst.mjs'
import { MEASURES, ONLY_FULL_RUN, ONLY_MEASURES, WAITS } from './scripts/testing/timedSpecs.mjs'

/**
 * Tests that change what the other files of their worker would use: they replace modules, or run Temporal's workers, whose
 * sandbox hooks every promise of the process. One counts collections of the heap, which must hold nothing of others.
 */
const ISOLATED = [
  'backend/app/{largeBodies,reboundNames}.int.spec.ts',
  'backend/kernel/media/marks/signInThread.spec.ts',
  'backend/providers/video/join/joinProvider.spec.ts',
  'backend/tasks/{placedOrders,pushUpdates}.spec.ts',
  'site/src/api/{renewal,session}.spec.ts',
  'workflows/temporal/!(temporal|outages).int.spec.ts',
]

/**
 * Files whose groups of tests are steps of one story, in their order. A group that is a story by itself has the option
 * `shuffle: false`, with its reason.
 */
const STORIES = [
  // Moves the calendar of the installation.
  'backend/operators/business.int.spec.ts',
  // Each test goes on with the jobs, files or pictures that the one before has left.
  'backend/providers/{mail/smtpMailer,payments/paypal/getReversal}.int.spec.ts',
  'backend/providers/storage/*MediaStore.int.spec.ts',
  'backend/providers/video/videosApi/testing/videosApiDouble.int.spec.ts',
  'backend/tasks/{works,downloads/downloads,library/library}.int.spec.ts',
  // One installation each, which is restarted, damaged, copied and restored step by step.
  'backend/{app,audit,backups,programs}/**/*.int.spec.ts',
  // Not yet tried in another order.
  '{projections,workflows,renderer,proof,scripts,content}/**/*.int.spec.ts',
]

const EVERYWHERE = '{backend,projections,workflows,renderer,proof,site,content,scripts}/**/'
const PURE = `${EVERYWHERE}!(*.int|*.e2e).spec.{ts,tsx}`
const SERVICES = `${EVERYWHERE}*.int.spec.ts`
const BROWSER = 'site/e2e/**/*.e2e.spec.ts'
const LEFT_OUT = process.env.KINORA_LEAVE_OUT === '1' ? [...ONLY_MEASURES, ...ONLY_FULL_RUN] : []
const NOWHERE = [...configDefaults.exclude, '**/dist/**', ...LEFT_OUT]
/** A machine that is slow for a moment fails a test of a browser or of a time. The run lists tests that passed at the second attempt. */
const SECOND_ATTEMPT = 1
/** A browser's tests wait long on a busy machine, and each of their waits ends earlier. */
const PATIENT = { testTimeout: 600_000, hookTimeout: 600_000, retry: SECOND_ATTEMPT }
/** Order of the tests of a file, and choices of random tests. Tests read it in `backend/testing/fullRun.ts`. */
process.env.KINORA_TEST_SEED ??= '11'

/** The files of a worker share its modules, its browser and its server, which would otherwise be loaded and started for each. */
const SHARED = { isolate: false }

/** Only measurements and the full run hash passwords as the product does. */
const QUICK =
  process.env.KINORA_FULL === '1' ? [] : ['--import', `${import.meta.dirname}/scripts/testing/quickPasswords.mjs`]

/** Projects in which each test stands alone. */
const SHUFFLED: unknown[] = ['pure', 'services']

/** Projects of one group run side by side, in as many workers. The groups follow each other. */
const group = (
  groupOrder: number,
  maxWorkers: number,
  ...projects: readonly TestProjectInlineConfiguration['test'][]
) =>
  projects.map((test) => {
    const shuffle = { files: false, tests: SHUFFLED.includes(test?.name) }
    const execArgv = test?.name === 'measures' ? [] : QUICK
    return { extends: true as const, test: { ...test, maxWorkers, execArgv, sequence: { groupOrder, shuffle } } }
  })

/**
 * The suffix shows what a test needs: `.spec.ts` is pure, `.int.spec.ts` needs Postgres or an event store,
 * `.e2e.spec.ts` a browser.
 */
export default defineConfig({
  test: {
    // No test passes or fails by the clock: limits end only what hangs. scripts/checks/clocks.spec.ts.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Below the limit of a test, so that a failure names the assertion. As in backend/testing/eventually.ts.
    expect: { poll: { timeout: 120_000, interval: 50 } },
    // The list of second attempts shows only messages, and "[ Array(1) ]" names no fault.
    chaiConfig: { truncateThreshold: 4_000 },
    globalSetup: ['scripts/testing/temporaryFolder.mjs'],
    sequence: { sequencer: CostliestFirst, seed: Number(process.env.KINORA_TEST_SEED) },
    unstubGlobals: true,
    projects: [
      // One group, in the order of costliestFirst.mjs: between groups, all workers would wait for the slowest file.
      ...group(
        0,
        4,
        { name: 'waits', include: WAITS, exclude: [...NOWHERE, ...MEASURES] },
        { name: 'isolated', include: ISOLATED, exclude: [...NOWHERE, ...MEASURES] },
        { name: 'browser', include: [BROWSER], exclude: [...NOWHERE, ...MEASURES], ...PATIENT, ...SHARED },
        {
          name: 'services',
          include: [SERVICES],
          exclude: [...NOWHERE, ...ISOLATED, ...WAITS, ...MEASURES, ...STORIES],
          ...SHARED,
        },
        {
          name: 'stories',
          include: STORIES,
          exclude: [...NOWHERE, ...ISOLATED, ...WAITS, ...MEASURES],
          ...SHARED,
        },
        { name: 'pure', include: [PURE], exclude: [...NOWHERE, ...ISOLATED, ...MEASURES], ...SHARED },
      ),
      ...group(1, 1, { name: 'measures', include: MEASURES, exclude: NOWHERE, ...PATIENT, ...SHARED }),
    ],
  },
})
