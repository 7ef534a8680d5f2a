import type { Policies } from '../engine/engine.port.ts'
import { bookkeeping } from '../engine/policies.ts'
import type { AccountActivities } from './accountActivities.ts'

export const accountPolicies: Policies<keyof AccountActivities> = {
  // Earlier releases, which may run side by side, know this pool and this time limit.
  sendMail: { ...bookkeeping, timeoutMs: 60_000, pool: 'mail' },
  erase: { ...bookkeeping, timeoutMs: 60 * 60_000 },
  endErasure: bookkeeping,
}
