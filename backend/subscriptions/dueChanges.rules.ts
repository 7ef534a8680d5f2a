import { type Agreement, endOf, type Subscription } from './agreements.rules.ts'

const DAY_MS = 24 * 3_600_000
/** Time after which a pending agreement ends if the buyer has not approved it. */
const APPROVAL_TIMEOUT_MS = 3 * DAY_MS
/** Time after which a suspended agreement ends if it is still unpaid. */
const SUSPENSION_TIMEOUT_MS = 30 * DAY_MS

const after = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString()

/** Returns the due time of an agreement's next time-based change; null if there is none. */
function changeDueAt(agreement: Agreement): string | null {
  const { status, cancelled, requestedAt, startsAt, graceUntil, suspendedAt } = agreement
  switch (status) {
    case 'pending':
      return after(requestedAt, APPROVAL_TIMEOUT_MS)
    case 'scheduled':
      return startsAt
    case 'active':
      return cancelled === 'no' ? graceUntil : (endOf(agreement) ?? requestedAt)
    case 'suspended':
      return cancelled === 'no' ? after(suspendedAt!, SUSPENSION_TIMEOUT_MS) : (endOf(agreement) ?? requestedAt)
    case 'ended':
      return null
  }
}

/** Returns the earliest time-based change; undefined if there is none. */
export const nextChange = ({ agreements }: Subscription) =>
  agreements
    .flatMap((agreement) => {
      const at = changeDueAt(agreement)
      return at === null ? [] : [{ agreement, at }]
    })
    .toSorted((a, b) => a.at.localeCompare(b.at))[0]

/** Returns the earliest time at which `ApplyDueChanges` has an effect; undefined if there is none. */
export const nextChangeDueAt = (subscription: Subscription): string | undefined => nextChange(subscription)?.at
