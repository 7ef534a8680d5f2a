import type { ActivityPolicy } from './engine/engine.port.ts'
import type { AllActivities } from './tasks/taskActivities.ts'

/** So long after a process was killed, others do what it was at; two seconds more, and they know what comes next. */
const heartbeatMs = 4_000

/** Bookkeeping against the log and the database: it must come through in the end, however long they are away. */
const bookkeeping: ActivityPolicy = {
  timeoutMs: 30_000,
  heartbeatMs,
  attempts: Number.MAX_SAFE_INTEGER,
  firstRetryMs: 100,
  maxRetryMs: 15_000,
  pool: 'main',
}

export const policies: Readonly<Record<keyof AllActivities, ActivityPolicy>> = {
  claimSlot: bookkeeping,
  // Its own deadlines end it, six hours of waiting for the provider and 30 minutes of rendering; the attempts only have
  // to last until then.
  render: {
    timeoutMs: 7 * 3600_000,
    heartbeatMs,
    attempts: 3_000,
    firstRetryMs: 500,
    maxRetryMs: 10_000,
    pool: 'render',
  },
  // The video is there: the provider may be away for an hour before it is given up for now.
  store: { timeoutMs: 10 * 60_000, heartbeatMs, attempts: 125, firstRetryMs: 500, maxRetryMs: 30_000, pool: 'main' },
  fail: bookkeeping,
  settleCredits: bookkeeping,
  releaseSlot: bookkeeping,
  recover: { timeoutMs: 10 * 60_000, heartbeatMs, attempts: 6, firstRetryMs: 1_000, maxRetryMs: 60_000, pool: 'main' },
  endRecovery: bookkeeping,
  // The mail's own age ends it: a server that is down for a day loses nothing.
  sendMail: { ...bookkeeping, timeoutMs: 60_000, firstRetryMs: 1_000, maxRetryMs: 5 * 60_000, pool: 'mail' },
  erase: { ...bookkeeping, timeoutMs: 60 * 60_000 },
  endErasure: bookkeeping,
  // Until the payment provider answers: nothing that was paid for is given up.
  settleSubscription: {
    ...bookkeeping,
    timeoutMs: 120_000,
    firstRetryMs: 1_000,
    maxRetryMs: 5 * 60_000,
    pool: 'payments',
  },
  readNotice: { ...bookkeeping, timeoutMs: 120_000, firstRetryMs: 1_000, maxRetryMs: 5 * 60_000, pool: 'payments' },
  reconcile: { ...bookkeeping, timeoutMs: 60 * 60_000, attempts: 3, firstRetryMs: 15_000, pool: 'payments' },
  sweepHolds: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
  sweepUploads: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
  sweepVisits: { ...bookkeeping, timeoutMs: 10 * 60_000, attempts: 1 },
}
