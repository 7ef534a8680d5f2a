import type { ActivityPolicy } from './engine.ts'
import type { GenerateVideoActivities } from './tasks/generateVideo.ts'
import type { RecoverVideoActivities } from './tasks/recoverVideo.ts'
import type { SweepHoldsActivities } from './tasks/sweepHolds.ts'
import type { SweepUploadsActivities } from './tasks/sweepUploads.ts'

/** Bookkeeping against the log and the database: it must come through in the end, however long they are away. */
const bookkeeping: ActivityPolicy = {
  timeoutMs: 30_000,
  attempts: Number.MAX_SAFE_INTEGER,
  firstRetryMs: 100,
  maxRetryMs: 15_000,
  pool: 'main',
}

export const policies: Readonly<
  Record<
    keyof (GenerateVideoActivities & RecoverVideoActivities & SweepHoldsActivities & SweepUploadsActivities),
    ActivityPolicy
  >
> = {
  claimSlot: bookkeeping,
  // Its own deadline ends it; the attempts only have to last until then.
  render: {
    timeoutMs: 40 * 60_000,
    heartbeatMs: 60_000,
    attempts: 100,
    firstRetryMs: 500,
    maxRetryMs: 30_000,
    pool: 'render',
  },
  store: { timeoutMs: 10 * 60_000, attempts: 6, firstRetryMs: 500, maxRetryMs: 30_000, pool: 'main' },
  fail: bookkeeping,
  settleCredits: bookkeeping,
  releaseSlot: bookkeeping,
  recover: { timeoutMs: 10 * 60_000, attempts: 6, firstRetryMs: 1_000, maxRetryMs: 60_000, pool: 'main' },
  endRecovery: bookkeeping,
  sweepHolds: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
  sweepUploads: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
}
