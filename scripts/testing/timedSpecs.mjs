/** Whether the run is `npm run test:full`. */
const FULL = process.env.KINORA_FULL === '1'

/**
 * Tests that mostly wait: for timeouts, leases and restarted servers. They run four at a time, before most others, so they
 * may sleep, and must not assert a time. docs/decisions/0039-time-of-the-tests.md.
 */
export const WAITS = [
  'backend/apiKeys/killedKey.int.spec.ts',
  'backend/teams/killedTeam.int.spec.ts',
  'backend/app/{degraded,killed}.int.spec.ts',
  'backend/app/layouts/{layoutKilled,rollingUpgrade}.int.spec.ts',
  'backend/app/outages/*.int.spec.ts',
  'backend/audit/eventStoreDb.int.spec.ts',
  'backend/desk/killedDesk.int.spec.ts',
  'backend/kernel/eventsourcing/eventStoreDb/eventStoreDbRecovery.int.spec.ts',
  'backend/kernel/postgres/leases.int.spec.ts',
  'backend/webhooks/killedOutbox.int.spec.ts',
  'proof/conformance/conformance.int.spec.ts',
  'workflows/temporal/{temporal,outages}.int.spec.ts',
]

/**
 * Tests that assert times exactly only in the full run, which runs them alone: with `backend/testing/stopwatch.ts`, or
 * with `SLACK` of `backend/testing/fullRun.ts`.
 */
export const MEASURES_OF_FULL_RUN = [
  'backend/app/layouts/{layoutKilled,rollingUpgrade}.int.spec.ts',
  'backend/app/linearTime.int.spec.ts',
  'backend/app/outages/unwritableStores.int.spec.ts',
  'backend/app/stopping.int.spec.ts',
  'backend/audit/eventStoreDb.int.spec.ts',
  'backend/kernel/eventsourcing/eventStoreDb/eventStoreDb{Probe,Recovery}.int.spec.ts',
  'backend/kernel/eventsourcing/postgres/postgresEventStore.int.spec.ts',
  'backend/kernel/http/realtime.int.spec.ts',
  'backend/kernel/media/decodingCost.spec.ts',
  'backend/kernel/media/marks/marks.int.spec.ts',
  'backend/kernel/postgres/leases.int.spec.ts',
  'backend/providers/video/definitions/definitions.int.spec.ts',
  'backend/tasks/library/library.int.spec.ts',
  'backend/webhooks/killedOutbox.int.spec.ts',
  'projections/engine/rebuildUnderLoad.int.spec.ts',
  'proof/attack/attack.int.spec.ts',
  'proof/real/real.int.spec.ts',
  'site/e2e/{freshClone,newMachine,promptFirst,workspace/workspaceStates}.e2e.spec.ts',
  'workflows/temporal/{outages,startBacklog}.int.spec.ts',
]

/**
 * Tests that only measure. `npm test` without a path leaves them out: others prove that what they measure is right, and
 * a busy machine needs limits that find little.
 */
export const ONLY_MEASURES = [
  'backend/kernel/http/socketLoad.int.spec.ts',
  'site/e2e/dashboard/boardPaint.e2e.spec.ts',
  'site/e2e/library/scroll.e2e.spec.ts',
  'site/e2e/lighthouse.e2e.spec.ts',
  'site/e2e/workspace/{nextPaint,slowNetwork}.e2e.spec.ts',
]

/** Slow tests whose promises others prove as well: docs/decisions/0039-time-of-the-tests.md. Left out in the same way. */
export const ONLY_FULL_RUN = ['site/e2e/splitLayout.e2e.spec.ts']

/** Tests that measure time or CPU. They run alone, after all others. */
export const MEASURES = [
  'backend/accounts/sessions/timing.int.spec.ts',
  'backend/credits/longAccount{,.int}.spec.ts',
  'backend/kernel/http/site/staticSite.int.spec.ts',
  'backend/kernel/observability/eventLoopWatch.spec.ts',
  'backend/providers/video/demo/demoProvider.int.spec.ts',
  'backend/tasks/lateReadModel.int.spec.ts',
  ...ONLY_MEASURES,
  ...(FULL ? MEASURES_OF_FULL_RUN : []),
]
