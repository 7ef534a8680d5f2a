import type { Policies } from '../engine/engine.port.ts'
import { bookkeeping } from '../engine/policies.ts'
import type { AccountActivities } from './accountActivities.ts'

export const accountPolicies: Policies<keyof AccountActivities> = {
  // Retried until the mail expires, so a mail server that is down for a day loses nothing.
  sendMail: { ...bookkeeping, timeoutMs: 60_000, firstRetryMs: 1_000, maxRetryMs: 5 * 60_000, pool: 'mail' },
  erase: { ...bookkeeping, timeoutMs: 60 * 60_000 },
  endErasure: bookkeeping,
}
