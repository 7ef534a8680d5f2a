import type { EndCause, PaidTier, SubscriptionEvent } from './events.ts'

/** What a user and the payment provider agreed on. Instants are ISO strings; prices are integer cents. */
export interface Agreement {
  /** The provider's id. */
  readonly id: string
  readonly tier: PaidTier
  readonly priceCents: number
  readonly currency: string
  readonly requestedAt: string
  /** `scheduled`: approved, and begins when the present one ends. */
  readonly status: 'pending' | 'scheduled' | 'active' | 'suspended' | 'ended'
  readonly startsAt: string | null
  readonly trial: boolean
  readonly cancelled: 'no' | 'at_period_end' | 'final'
  /** When the provider last changed its status, as far as we know: what it said before is no news. */
  readonly statusAt: string | null
  readonly suspendedAt: string | null
  /** Whether the provider rests because it was cancelled; `asked`: it is being told to. */
  readonly paused: 'no' | 'asked' | 'yes'
  /** The last sale's time, and until when it pays. */
  readonly periodStart: string | null
  readonly periodEnd: string | null
  /** A failed payment: when, and until when the plan stays all the same. */
  readonly failedAt: string | null
  readonly graceUntil: string | null
  readonly endCause: EndCause | null
  readonly endedAt: string | null
  readonly replacedBy: string | null
  /** The provider can never bill it again. */
  readonly closed: boolean
}

export interface Sale {
  readonly id: string
  readonly agreementId: string
  readonly credits: number
  readonly amountCents: number
  readonly afterEnd: boolean
}

export interface Reversal {
  readonly id: string
  readonly saleId: string
  readonly credits: number
  readonly kind: 'refund' | 'reversal'
}

/** A user's subscription: every agreement ever opened, every sale, and what of them went back. */
export interface Subscription {
  /** In the order they were asked for. */
  readonly agreements: readonly Agreement[]
  readonly sales: readonly Sale[]
  readonly reversals: readonly Reversal[]
  readonly mismatched: readonly string[]
}

/** The agreement whose plan the user has. */
export const currentOf = ({ agreements }: Subscription): Agreement | undefined =>
  agreements.findLast(({ status }) => status === 'active' || status === 'suspended')

export const pendingOf = ({ agreements }: Subscription): Agreement | undefined =>
  agreements.findLast(({ status }) => status === 'pending')

export const scheduledOf = ({ agreements }: Subscription): Agreement | undefined =>
  agreements.findLast(({ status }) => status === 'scheduled')

/** The sales whose credits are forfeited: their agreement is over, and so is every one that took over from it. */
export function forfeitedSales({ agreements, sales }: Subscription): readonly string[] {
  const isOver = (id: string): boolean => {
    const agreement = agreements.find((each) => each.id === id)
    if (agreement?.status !== 'ended') return false
    return agreement.replacedBy === null || isOver(agreement.replacedBy)
  }
  return sales.filter(({ agreementId, afterEnd }) => !afterEnd && isOver(agreementId)).map(({ id }) => id)
}

const latest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)

function changed(subscription: Subscription, agreementId: string, change: (agreement: Agreement) => Agreement) {
  const agreements = subscription.agreements.map((each) => (each.id === agreementId ? change(each) : each))
  return { ...subscription, agreements }
}

export function evolve(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { agreementId, at } = event.data
  const change = (change: (agreement: Agreement) => Partial<Agreement>) =>
    changed(subscription, agreementId, (agreement) => ({ ...agreement, ...change(agreement) }))
  switch (event.type) {
    case 'SubscriptionRequested': {
      const { tier, priceCents, currency, startsAt } = event.data
      const agreement = { id: agreementId, tier, priceCents, currency, startsAt, requestedAt: at, ...NEW }
      return { ...subscription, agreements: [...subscription.agreements, agreement] }
    }
    case 'SubscriptionScheduled':
      return change(({ statusAt }) => ({ status: 'scheduled', statusAt: latest(statusAt, event.data.statusAt) }))
    case 'SubscriptionActivated':
      return change(({ periodEnd, statusAt }) => ({
        status: 'active',
        endCause: null,
        endedAt: null,
        trial: event.data.trial,
        periodEnd: latest(periodEnd, event.data.periodEnd),
        statusAt: latest(statusAt, event.data.statusAt),
      }))
    case 'SubscriptionPaid': {
      const { saleId, credits, amountCents, afterEnd, periodStart, periodEnd } = event.data
      const sales = [...subscription.sales, { id: saleId, agreementId, credits, amountCents, afterEnd }]
      return {
        ...change((known) => ({
          periodStart: latest(known.periodStart, periodStart),
          periodEnd: latest(known.periodEnd, periodEnd),
          trial: false,
          graceUntil: known.failedAt !== null && known.failedAt > periodStart ? known.graceUntil : null,
        })),
        sales,
      }
    }
    case 'SubscriptionSaleMismatched':
      return { ...subscription, mismatched: [...subscription.mismatched, event.data.saleId] }
    case 'SubscriptionPaymentFailed':
      return change(() => ({ failedAt: event.data.failedAt, graceUntil: event.data.graceUntil }))
    case 'SubscriptionSuspended':
      return change(({ statusAt }) => ({
        status: 'suspended',
        suspendedAt: at,
        statusAt: latest(statusAt, event.data.statusAt),
      }))
    case 'SubscriptionResumed':
      return change(({ statusAt, paused }) => ({
        status: 'active',
        paused: event.data.statusAt === null ? paused : 'no',
        statusAt: latest(statusAt, event.data.statusAt),
      }))
    case 'SubscriptionCancelled':
      return change(() => ({ cancelled: event.data.final ? 'final' : 'at_period_end' }))
    case 'SubscriptionPaused':
      return change(({ statusAt }) => ({
        paused: event.data.statusAt === null ? 'asked' : 'yes',
        statusAt: latest(statusAt, event.data.statusAt),
      }))
    case 'SubscriptionReactivated':
      return change(() => ({ cancelled: 'no' }))
    case 'SubscriptionEnded':
      return change(() => {
        const { cause, replacedBy } = event.data
        const closed = cause === 'expired' || cause === 'declined'
        return { status: 'ended', endCause: cause, endedAt: at, replacedBy, closed }
      })
    case 'SubscriptionClosed':
      return change(() => ({ closed: true }))
    case 'SubscriptionSaleReversed': {
      const { reversalId, saleId, credits, kind } = event.data
      const reversals = [...subscription.reversals, { id: reversalId, saleId, credits, kind }]
      return { ...subscription, reversals }
    }
  }
}

const NEW = {
  status: 'pending',
  trial: false,
  cancelled: 'no',
  statusAt: null,
  suspendedAt: null,
  paused: 'no',
  periodStart: null,
  periodEnd: null,
  failedAt: null,
  graceUntil: null,
  endCause: null,
  endedAt: null,
  replacedBy: null,
  closed: false,
} as const
