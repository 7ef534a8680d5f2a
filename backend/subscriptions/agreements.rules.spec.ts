import { describe, expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { chainStart } from '../kernel/eventsourcing/pure/eventHash.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import { currentOf, forfeitedSales } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import { nextChangeDueAt } from './dueChanges.rules.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  activated,
  applyDueChanges,
  at,
  cancel,
  cancelled,
  dated,
  ended,
  failed,
  on,
  paid,
  reactivated,
  refundProposed,
  reported,
  requested,
  running,
  sale,
  status,
  suspended,
  unusedRefund,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const fold = (...events: readonly SubscriptionEvent[]) => events.reduce(subscription.evolve, subscription.initial)
const due = (...events: readonly SubscriptionEvent[]) => nextChangeDueAt(fold(...events))
const aMomentBefore = (instant: string) => new Date(Date.parse(instant) - 1).toISOString()

describe('the period of an agreement', () => {
  it('ends with the period that the provider reported on activation, until a sale names another', () => {
    given(requested(), activated('A', { periodEnd: on('01-15') }))
      .when(cancel())
      .decides(cancelled(false, on('01-15')))
    given(requested(), activated('A', { periodEnd: null }), paid('s1'))
      .when(cancel())
      .decides(cancelled(false, on('02-01')))
  })

  it('is followed by the grace period after a failed payment, also for a plan that is cancelled in it', () => {
    const when = on('02-03')
    given(...running, failed)
      .when(cancel(true, when))
      .decides(dated(cancelled(false, on('02-08')), when))
    const over = [...running, failed, cancelled(false, on('02-08'))]
    expect(due(...over)).toBe(on('02-08'))
    given(...over)
      .when(applyDueChanges(aMomentBefore(on('02-08'))))
      .decidesNothing()
    given(...over)
      .when({ type: 'ReactivateSubscription', userId, at: aMomentBefore(on('02-08')) })
      .decides(dated(reactivated, aMomentBefore(on('02-08'))))
    given(...over)
      .when({ type: 'ReactivateSubscription', userId, at: on('02-08') })
      .rejects('cannot_reactivate')
    expect(due(...running, failed, suspended('unpaid', on('02-08')), cancelled())).toBe(on('02-01'))
  })

  it('is not shortened by reports that arrive late', () => {
    given(...running, paid('s3', on('02-01'), on('03-01')), paid('s2', on('01-15'), on('02-15')))
      .when(cancel())
      .decides(cancelled(false, on('03-01')))
    given(requested(), paid('s1'), activated('A', { periodEnd: on('01-15') }))
      .when(cancel())
      .decides(cancelled())
  })

  it('is over at once for a cancelled agreement that was never billed', () => {
    const free = [requested(), activated('A', { periodEnd: null }), cancelled(false, null)]
    expect(due(...free)).toBe(on('01-01'))
    given(...free)
      .when(applyDueChanges(at))
      .decides(ended('A', 'period_end', null, on('01-01')))
    expect(due(...free, suspended('provider', at))).toBe(on('01-01'))
  })
})

describe('the next change that is due', () => {
  it('is the earliest of all agreements', () => {
    expect(due(...running, cancelled(), requested('B'))).toBe(on('01-04'))
    expect(due(requested('B', 'standard'), ...running, cancelled())).toBe(on('01-04'))
  })

  it('is the end of the period for a cancelled agreement, even while it is suspended', () => {
    const over = [...running, cancelled(), suspended('provider', at, on('01-05'))]
    expect(due(...over)).toBe(on('02-01'))
    given(...over)
      .when(applyDueChanges(on('02-01')))
      .decides(ended('A', 'period_end', null, on('02-01')))
  })

  it('is not applied a moment too early', () => {
    given(requested())
      .when(applyDueChanges(aMomentBefore(on('01-04'))))
      .decidesNothing()
    given(...running, failed, suspended('unpaid', on('02-08')))
      .when(applyDueChanges(aMomentBefore(on('03-10'))))
      .decidesNothing()
  })

  it('is none after a suspended agreement has resumed', () => {
    expect(due(...running, suspended('provider', at), reported('SubscriptionResumed', on('01-06')))).toBeUndefined()
  })
})

describe('a suspended agreement', () => {
  const over = [...running, suspended('provider', at, on('01-05'))]

  it('still determines the plan', () => {
    expect(currentOf(fold(...over))?.id).toBe('A')
    given(...over)
      .when(cancel(false))
      .decides(ended('A', 'cancelled'), unusedRefund('s1'))
  })

  it('is suspended once, and does not fail again', () => {
    given(...over)
      .when(status('suspended', on('01-06')))
      .decidesNothing()
    given(...over)
      .when({ ...failed.data, type: 'ReportPaymentFailed' } as SubscriptionCommand)
      .decidesNothing()
  })

  it('is resumed by a sale only if it is not cancelled and the paid period is not over', () => {
    const pays = (periodEnd: string) => sale('s2', { soldAt: on('01-09'), periodEnd })
    given(...over, cancelled())
      .when(pays(on('02-09')))
      .decides(paid('s2', on('01-09'), on('02-09')))
    given(...over)
      .when(pays(at))
      .decides(paid('s2', on('01-09'), at))
  })

  it('that a sale has resumed stays paused at the provider until the provider resumes it', () => {
    const paused = [...running, cancelled(), reported('SubscriptionPaused', on('01-05')), reactivated]
    given(...paused, suspended('provider', at), reported('SubscriptionResumed', null))
      .when({ type: 'ReportResumed', userId, agreementId: 'A', at, statusAt: on('01-06') })
      .decides(reported('SubscriptionResumed', on('01-06')))
  })
})

describe('an agreement that is approved after it expired', () => {
  const late = [requested(), ended('A', 'not_approved', null, on('01-04'))]

  it('grants forfeitable credits for its first and later sales', () => {
    given(...late)
      .when(sale('s1', { soldAt: on('01-05') }))
      .decides(activated('A', { statusAt: null }), paid('s1', on('01-05')))
    given(...late, activated(), paid('s1'))
      .when(sale('s2', { soldAt: on('01-06') }))
      .decides(paid('s2', on('01-06')))
  })
})

describe('a sale of an ended agreement', () => {
  const replaced = [...running, requested('B'), ended('A', 'replaced', 'B'), activated('B')]

  it('grants its credits to the plan that replaced it if it was sold before the end', () => {
    given(...replaced)
      .when(sale('s2', { soldAt: aMomentBefore(at) }))
      .decides(paid('s2', aMomentBefore(at)))
  })

  it('grants credits that stay, and is proposed for a refund, if it was sold at the end or later', () => {
    for (const soldAt of [at, on('01-11')])
      given(...replaced)
        .when(sale('s2', { soldAt }))
        .decides(paid('s2', soldAt, on('02-01'), true), refundProposed('s2'))
  })

  it('grants credits that stay, and is proposed for a refund, if no plan is left, whenever it was sold', () => {
    for (const over of [
      [...running, ended('A', 'unpaid')],
      [...replaced, ended('B', 'unpaid')],
    ])
      given(...over)
        .when(sale('s2', { soldAt: aMomentBefore(at) }))
        .decides(paid('s2', aMomentBefore(at), on('02-01'), true), refundProposed('s2'))
  })
})

describe('a renewal that the provider bills after the user has cancelled', () => {
  const noticedAt = on('02-05')
  const over = [...running, cancelled()]

  it('is sold after the end of the period, however late the end is noticed', () => {
    const late = ended('A', 'period_end', null, on('02-01'))
    given(...over)
      .when(applyDueChanges(noticedAt))
      .decides(late)
    const renewal = paid('s2', on('02-01'), on('03-01'), true).data as SubscriptionEvent<'SubscriptionPaid'>['data']
    given(...over, late)
      .when(sale('s2', { soldAt: on('02-01'), periodEnd: on('03-01'), at: noticedAt }))
      .decides({ type: 'SubscriptionPaid', data: { ...renewal, at: noticedAt } }, refundProposed('s2', 'A', noticedAt))
  })

  it('keeps its credits when its plan ends', () => {
    expect(forfeitedSales(fold(...over, ended('A', 'period_end', null, on('02-01'))))).toEqual(['s1'])
    const [request, activation] = running
    const late = { ...paid('s1').data, at: noticedAt } as SubscriptionEvent<'SubscriptionPaid'>['data']
    const caughtUp = [request!, activation!, { type: 'SubscriptionPaid', data: late } as const]
    expect(forfeitedSales(fold(...caughtUp, ended('A', 'period_end', null, on('02-01'))))).toEqual([])
  })
})

describe('a cancellation', () => {
  it('keeps the reason, encrypted', () => {
    given(...running)
      .when({ ...cancel(), encryptedReason: 'sealed' } as SubscriptionCommand)
      .decides(cancelled(false, on('02-01'), 'sealed'))
  })
})

describe('the events of a subscription', () => {
  it('are hash chained', async () => {
    const store = createMemoryEventStore()
    const { type: _, data } = requested()
    const command = { type: 'RequestSubscription', ...data } as SubscriptionCommand
    await createHandle(store)(subscription, userId, command, { commandId: 'c', actor: 'user', correlationId: 'c' })
    expect(store.log[0]!.meta.previousHash).toBe(chainStart(`subscription-${userId}`))
  })
})
