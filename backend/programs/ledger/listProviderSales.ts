import type pg from 'pg'
import { openTills } from '../../app/adapters.ts'
import { ConfigError, parseEnvironment } from '../../app/config/environment.ts'
import { readPayments } from '../../app/config/paymentsConfig.ts'
import { withFiles } from '../../app/config/settingFiles.ts'
import type { ListSales } from '../../audit/outside/providerSales.ts'
import { createSandbox } from '../../providers/payments/sandbox/sandbox.ts'
import { createStripeLinks } from '../../providers/payments/stripe/stripeLinks.ts'
import { createSalesOf } from '../../subscriptions/salesOf.ts'
import { createTills } from '../../subscriptions/tills.ts'

/** Returns the list of sales of the configured payment provider. @throws ConfigError there is none */
export function listProviderSales(env: NodeJS.ProcessEnv, pool: pg.Pool): ListSales {
  const payments = readPayments(parseEnvironment(withFiles(env)))
  const sandbox = createSandbox({ pool, calendar: Date.now, clock: Date.now, secret: '' })
  if (payments.tills.length === 0)
    throw new ConfigError('--with-provider: payments are off, so there is no provider to ask')
  // The audit only reads.
  const links = { ...createStripeLinks(pool), add: async () => {} }
  const tills = createTills(openTills(payments, { calendar: Date.now, clock: Date.now }, links, sandbox))
  const salesOf = createSalesOf(tills)
  // The calendar of a development installation can be ahead of this clock.
  return (id, isOrder) => salesOf(id, isOrder, '2000-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z')
}
