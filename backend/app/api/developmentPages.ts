import type { AccountServices } from '../../accounts/accountServices.ts'
import { clockRoutes } from '../../kernel/http/clockRoutes.ts'
import { mailboxRoutes } from '../../providers/mail/mailboxRoutes.ts'
import { sandboxRoutes } from '../../providers/payments/sandbox/sandboxRoutes.ts'
import type { Adapters } from '../adapters.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Returns the routes that exist only in development. */
export function developmentPages(
  context: Context,
  adapters: Adapters,
  { outbox }: Services,
  accounts: Pick<AccountServices, 'settled'>,
) {
  const mailDelivered = async () => {
    await accounts.settled()
    await outbox.empty(3_000)
  }
  const routes = [
    adapters.mailbox && mailboxRoutes(adapters.mailbox, mailDelivered),
    adapters.sandbox && sandboxRoutes(adapters.sandbox.state),
    context.advanceCalendar && clockRoutes(context.advanceCalendar),
  ]
  return routes.filter((each) => each !== undefined)
}
