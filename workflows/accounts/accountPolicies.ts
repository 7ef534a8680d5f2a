import type { Policies } from '../engine/engine.port.ts'
import { bookkeeping } from '../engine/policies.ts'
import type { AccountActivities } from './accountActivities.ts'

export const accountPolicies: Policies<keyof AccountActivities> = {
  // Retries until the email expires, so that an outage of a day loses none, and within 30 s of the server's return.
  sendMail: { ...bookkeeping, timeoutMs: 60_000, firstRetryMs: 1_000, maxRetryMs: 30_000, pool: 'mail' },
  erase: { ...bookkeeping, timeoutMs: 60 * 60_000 },
  endErasure: bookkeeping,
}
