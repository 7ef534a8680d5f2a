import type { EndCause, PaidTier, SubscriptionEvent } from './events.ts'

/** A billing agreement between a user and the payment provider. Times are ISO strings; prices are integer cents. */
export interface Agreement {
  /** Id assigned by the provider. */
  readonly id: string
  readonly tier: PaidTier
  readonly priceCents: number
  readonly currency: string
  readonly requestedAt: string
  /** `scheduled`: approved; starts when the current agreement ends. */
  readonly status: 'pending' | 'scheduled' | 'active' | 'suspended' | 'ended'
  readonly startsAt: string | null
  readonly trial: boolean
  /** `final`: cancelled at the provider, so it cannot be reactivated. */
  readonly cancelled: 'no' | 'at_period_end' | 'final'
  /** Time of the latest status change that the provider reported. Older reports are ignored. */
  readonly statusAt: string | null
  readonly suspendedAt: string | null
  /** Whether billing is paused at the provider because the user cancelled. `requested`: not confirmed yet. */
  readonly paused: 'no' | 'requested' | 'yes'
  /** Start of the latest paid period, which is the time of its sale. */
  readonly periodStart: string | null
  readonly periodEnd: string | null
  readonly failedAt: string | null
  /** End of the grace period after a failed payment, during which the plan stays active. */
  readonly graceUntil: string | null
  readonly endCause: EndCause | null
  readonly endedAt: string | null
  readonly replacedBy: string | null
  /** Whether the agreement has also ended at the provider, so that it can never be billed again. */
  readonly closed: boolean
}

export interface Sale {
  readonly id: string
  readonly agreementId: string
  readonly credits: number
  readonly amountCents: number
  readonly afterEnd: boolean
}

export type Reversal = Readonly<{ id: string; saleId: string; credits: number; kind: 'refund' | 'reversal' }>

/** All agreements, sales and reversals of a user. */
export interface Subscription {
  /** In order of request. */
  readonly agreements: readonly Agreement[]
  readonly sales: readonly Sale[]
  readonly reversals: readonly Reversal[]
  /** Ids of sales with the wrong amount or currency. */
  readonly mismatched: readonly string[]
}

export const isRunning = ({ status }: Agreement) => status === 'active' || status === 'suspended'

/** Returns the running agreement, which determines the user's plan; undefined if there is none. */
export const currentOf = ({ agreements }: Subscription): Agreement | undefined => agreements.findLast(isRunning)

/** Returns the ids of sales whose credits are forfeited: their agreement and all its replacements have ended. */
export function forfeitedSales({ agreements, sales }: Subscription): readonly string[] {
  const isOver = (id: string): boolean => {
    const agreement = agreements.find((each) => each.id === id)
    if (agreement?.status !== 'ended') return false
    return agreement.replacedBy === null || isOver(agreement.replacedBy)
  }
  return sales.filter(({ agreementId, afterEnd }) => !afterEnd && isOver(agreementId)).map(({ id }) => id)
}

const latest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)

export function evolve(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { agreementId, at } = event.data
  const statusAt = 'statusAt' in event.data ? event.data.statusAt : null
  const change = (patch: Partial<Agreement> | ((agreement: Agreement) => Partial<Agreement>)): Subscription => ({
    ...subscription,
    agreements: subscription.agreements.map((agreement) => {
      if (agreement.id !== agreementId) return agreement
      const changes = typeof patch === 'function' ? patch(agreement) : patch
      return { ...agreement, statusAt: latest(agreement.statusAt, statusAt), ...changes }
    }),
  })
  switch (event.type) {
    case 'SubscriptionRequested': {
      const { tier, priceCents, currency, startsAt } = event.data
      const agreement = { ...NEW, id: agreementId, tier, priceCents, currency, startsAt, requestedAt: at }
      return { ...subscription, agreements: [...subscription.agreements, agreement] }
    }
    case 'SubscriptionScheduled':
      return change({ status: 'scheduled' })
    case 'SubscriptionActivated': {
      const { trial, periodEnd } = event.data
      const status = { status: 'active', endCause: null, endedAt: null } as const
      return change((agreement) => ({ ...status, trial, periodEnd: latest(agreement.periodEnd, periodEnd) }))
    }
    case 'SubscriptionPaid': {
      const { saleId, credits, amountCents, afterEnd, periodStart, periodEnd } = event.data
      const paid = change((agreement) => ({
        periodStart: latest(agreement.periodStart, periodStart),
        periodEnd: latest(agreement.periodEnd, periodEnd),
        trial: false,
        graceUntil: agreement.failedAt !== null && agreement.failedAt > periodStart ? agreement.graceUntil : null,
      }))
      return { ...paid, sales: [...paid.sales, { id: saleId, agreementId, credits, amountCents, afterEnd }] }
    }
    case 'SubscriptionSaleMismatched':
      return { ...subscription, mismatched: [...subscription.mismatched, event.data.saleId] }
    case 'SubscriptionPaymentFailed':
      return change({ failedAt: event.data.failedAt, graceUntil: event.data.graceUntil })
    case 'SubscriptionSuspended':
      return change({ status: 'suspended', suspendedAt: at })
    case 'SubscriptionResumed':
      return change(({ paused }) => ({ status: 'active', paused: statusAt === null ? paused : 'no' }))
    case 'SubscriptionCancelled':
      return change({ cancelled: event.data.final ? 'final' : 'at_period_end' })
    case 'SubscriptionPaused':
      return change({ paused: statusAt === null ? 'requested' : 'yes' })
    case 'SubscriptionReactivated':
      return change({ cancelled: 'no' })
    case 'SubscriptionEnded': {
      const { cause, replacedBy } = event.data
      const closed = cause === 'expired' || cause === 'declined'
      return change({ status: 'ended', endCause: cause, endedAt: at, replacedBy, closed })
    }
    case 'SubscriptionClosed':
      return change({ closed: true })
    case 'SubscriptionSaleReversed': {
      const { reversalId, saleId, credits, kind } = event.data
      return { ...subscription, reversals: [...subscription.reversals, { id: reversalId, saleId, credits, kind }] }
    }
  }
}

const NO_DATES = { statusAt: null, suspendedAt: null, periodStart: null, periodEnd: null, failedAt: null } as const
const NO_END = { graceUntil: null, endCause: null, endedAt: null, replacedBy: null, closed: false } as const
const NEW = { status: 'pending', trial: false, cancelled: 'no', paused: 'no', ...NO_DATES, ...NO_END } as const
