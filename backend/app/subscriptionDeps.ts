import { readCredits } from '#projections/credits/readCredits.ts'
import { readExpired } from '#projections/credits/readExpired.ts'
import { readBuyer, readOpenAgreements } from '#projections/subscriptions/readSubscription.ts'
import { createReminders } from '../accounts/mails/reminders.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** What the activities about subscriptions and credits need of the rest. */
export function subscriptionDeps(
  { database, calendar, log }: Context,
  { outbox }: Pick<Services, 'outbox'>,
  publicUrl: () => string,
) {
  const reminders = createReminders(database, outbox, publicUrl)
  const at = () => new Date(calendar()).toISOString()
  return {
    buyerOf: (saleId: string) => readBuyer(database, saleId),
    openAgreements: () => readOpenAgreements(database),
    withExpiredLots: () => readExpired(database, at()),
    onNeverUnderstood: (noticeId: string) =>
      log.error({ noticeId, alert: 'payment_notice_unknown' }, 'a payment notice is about nothing that is known here'),
    mailOnce: (userId: string, key: string, { kind, date }: { kind: 'renewalAhead' | 'paymentFailed'; date: string }) =>
      reminders.sendOnce(userId, key, kind, { date }),

    /** Tells who has a fifth of the credits left, or none, at most once a day. A mail that fails stops no video. */
    async creditsSpent(userId: string): Promise<void> {
      try {
        const { remaining, used } = await readCredits(database, userId, at())
        const key = `credits ${at().slice(0, 10)}`
        if (remaining <= 0) await reminders.sendOnce(userId, key, 'creditsGone', {})
        else if (remaining <= (remaining + used) / 5)
          await reminders.sendOnce(userId, key, 'creditsLow', { remaining: String(remaining) })
      } catch (error) {
        log.error({ err: error }, 'who has few credits left was not told')
      }
    },
  }
}
