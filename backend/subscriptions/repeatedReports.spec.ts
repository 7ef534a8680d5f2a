import { describe, expect, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { SubscriptionCommand } from './commands.ts'
import { nextChangeDueAt } from './dueChanges.rules.ts'
import type { SubscriptionEvent } from './events.ts'
import { subscription } from './subscription.decider.ts'
import {
  applyDueChanges,
  at,
  cancelled,
  ended,
  failed,
  mismatched,
  on,
  paid,
  reported,
  requested,
  reversal,
  reversed,
  running,
  sale,
  status,
  suspended,
  userId,
} from './testing/subscriptionFacts.ts'

const given = specification(subscription)
const due = (...events: readonly SubscriptionEvent[]) =>
  nextChangeDueAt(events.reduce(subscription.evolve, subscription.initial))

describe('a failed payment', () => {
  const report = { ...failed.data, type: 'ReportPaymentFailed' } as SubscriptionCommand

  it('is ignored if a later payment succeeded before the failure was reported', () => {
    given(...running, paid('s2', on('02-03'), on('03-03')))
      .when(report)
      .decidesNothing()
  })

  it('keeps its grace period when an earlier payment is reported after it', () => {
    expect(due(...running, failed, paid('s0', on('01-31'), on('02-28')))).toBe(on('02-08'))
    expect(due(...running, failed, paid('s2', on('02-01'), on('03-01')))).toBeUndefined()
  })
})

describe('a status that the provider reports', () => {
  it('suspends no plan before the end of its grace period, which a mail has promised', () => {
    const within = status('suspended', on('02-06'), 'A', on('02-06'))
    given(...running, failed)
      .when(within)
      .decidesNothing()
    given(...running, failed)
      .when(applyDueChanges(on('02-08')))
      .decides(suspended('unpaid', on('02-08')))
    const late = status('suspended', on('02-06'), 'A', on('02-09'))
    given(...running, failed, suspended('unpaid', on('02-08')))
      .when(late)
      .decidesNothing()
  })

  it('changes nothing while billing runs as expected', () => {
    given(...running)
      .when(status('active'))
      .decidesNothing()
    given(...running, cancelled(), reported('SubscriptionPaused', on('01-05')))
      .when(status('suspended', on('01-06')))
      .decidesNothing()
    given(requested()).when(status('suspended')).decidesNothing()
  })

  it('is measured against the latest report, whatever the order of arrival', () => {
    const known = [...running, suspended('provider', at, on('01-06')), reported('SubscriptionResumed', on('01-04'))]
    given(...known)
      .when(status('suspended', on('01-05')))
      .decidesNothing()
  })

  it('closes an ended agreement that has expired at the provider', () => {
    given(...running, ended('A', 'period_end'))
      .when(status('expired'))
      .decides({ type: 'SubscriptionClosed', data: { userId, agreementId: 'A', at } })
  })
})

describe('facts that are reported twice', () => {
  it('are recorded once each, also when another fact of their kind came in between', () => {
    given(...running, reversed('r1', 100, 100))
      .when(reversal('r2', 200))
      .decides(reversed('r2', 200, 200))
    given(...running, reversed('r1', 100, 100), reversed('r2', 200, 200))
      .when(reversal('r1', 100))
      .decidesNothing()
    given(...running, mismatched('s2'), mismatched('s3'))
      .when(sale('s2', { amountCents: 1 }))
      .decidesNothing()
    const { type: _, data } = requested('B')
    given(requested())
      .when({ type: 'RequestSubscription', ...data } as SubscriptionCommand)
      .decides(requested('B'))
  })
})
