import type { ActivityPolicy, Policies } from '../engine/engine.port.ts'
import { bookkeeping, heartbeatMs } from '../engine/policies.ts'
import type { TaskActivities } from './taskActivities.ts'

/** Renders take minutes and are many, so they send fewer heartbeats. */
const RENDER_HEARTBEAT_MS = 6_000

const command: ActivityPolicy = { ...bookkeeping, local: true }

export const taskPolicies: Policies<keyof TaskActivities> = {
  claimSlot: command,
  // The activity enforces its own deadlines: six hours of waiting for the provider and 30 minutes of rendering. The
  // attempts only have to outlast them.
  render: {
    timeoutMs: 7 * 3600_000,
    heartbeatMs: RENDER_HEARTBEAT_MS,
    attempts: 3_000,
    firstRetryMs: 500,
    maxRetryMs: 10_000,
    pool: 'render',
  },
  // The video is finished, so the activity retries for an hour while the provider is unreachable, then leaves it to recovery.
  store: { timeoutMs: 10 * 60_000, heartbeatMs, attempts: 125, firstRetryMs: 500, maxRetryMs: 30_000, pool: 'main' },
  fail: command,
  settleCredits: command,
  releaseSlot: command,
  recover: { timeoutMs: 10 * 60_000, heartbeatMs, attempts: 6, firstRetryMs: 1_000, maxRetryMs: 60_000, pool: 'main' },
  endRecovery: bookkeeping,
  // Retries until the media store is back. Few of many deletions try at a time.
  removeMedia: { ...bookkeeping, timeoutMs: 10_000, firstRetryMs: 1_000, maxRetryMs: 60_000 },
  sweepHolds: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
  sweepUploads: { ...bookkeeping, timeoutMs: 60_000, attempts: 1 },
}
