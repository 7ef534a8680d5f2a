import { readExpired } from '#projections/credits/readCredits.ts'
import { readBuyer, readOpenAgreements } from '#projections/subscriptions/readSubscription.ts'
import type { SubscriptionActivityDeps } from '#workflows/subscriptions/subscriptionActivities.ts'
import { createReminders } from '../accounts/mails/reminders.ts'
import { createLowCreditMails } from '../credits/lowCreditMails.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** Returns the reads and mails of subscriptions and credits that activities need. */
export function subscriptionDeps(
  { database, calendar, log }: Context,
  { outbox }: Pick<Services, 'outbox'>,
  publicUrl: () => string,
) {
  const { sendOnce: mailOnce } = createReminders(database, outbox, publicUrl)
  return {
    findBuyer: (saleId) => readBuyer(database, saleId),
    openAgreements: () => readOpenAgreements(database),
    usersWithExpiredLots: () => readExpired(database, new Date(calendar()).toISOString()),
    onUnmatchedWebhook: (webhookId) => log.error({ webhookId, alert: 'payment_notice_unknown' }, 'webhook unmatched'),
    mailOnce: (userId, key, { kind, date }) => mailOnce(userId, key, kind, { date }),
    creditsSpent: createLowCreditMails({
      database,
      calendar,
      mailOnce,
      onError: (error) => log.error({ err: error }, 'low credit mail failed'),
    }),
  } satisfies Partial<SubscriptionActivityDeps> & { creditsSpent: (userId: string) => Promise<void> }
}
