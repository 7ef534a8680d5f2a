import { findById } from '../accounts/accounts.ts'
import { createYearKeys } from '../accounts/keys/yearKeys.ts'
import { createReminders } from '../accounts/mails/reminders.ts'
import { createBillingDetails } from '../invoices/billingDetails.ts'
import { createInvoicing } from '../invoices/issueDocuments.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** Creates the services of invoices. */
export function openInvoicing(
  { changes, calendar, config, database, handle }: Context,
  { outbox, userKeys }: Pick<Services, 'outbox' | 'userKeys'>,
  publicUrl: () => string,
) {
  const billing = createBillingDetails(database, userKeys)
  const keys = createYearKeys(database, config.secrets.encryption)
  const userById = findById(database)
  const invoicing = createInvoicing({
    ...{ database, changes, handle, calendar, keys },
    settings: config.invoices,
    async readBuyer(userId) {
      const user = await userById(userId)
      return user ? { ...user, details: await billing.read(userId) } : undefined
    },
    mails: {
      unsent: createReminders(database, outbox, publicUrl).unsent,
      send: (userId, key, { kind, page, ...values }, pdf) =>
        createReminders(database, outbox, publicUrl, page).sendOnce(userId, key, kind, values, [
          {
            filename: `${values.number}.pdf`,
            contentType: 'application/pdf',
            content: Buffer.from(pdf).toString('base64'),
          },
        ]),
    },
  })
  /** Destroys the keys of documents that need not be kept any more. */
  const removeOld = () => keys.destroyBefore(new Date(calendar()).getUTCFullYear() - config.invoices.years)
  return { billing, invoicing, removeOld }
}
