import type pg from 'pg'
import { ConfigError, parseEnvironment } from '../../app/config/environment.ts'
import { readPayments } from '../../app/config/paymentsConfig.ts'
import { withFiles } from '../../app/config/settingFiles.ts'
import type { ListSales } from '../../audit/outside/providerSales.ts'
import { createPaypal } from '../../providers/payments/paypal/paypal.ts'
import { createSandbox } from '../../providers/payments/sandbox/sandbox.ts'

/** Returns the list of sales of the configured payment provider. @throws ConfigError there is none */
export function listProviderSales(env: NodeJS.ProcessEnv, pool: pg.Pool): ListSales {
  const { mode, paypal } = readPayments(parseEnvironment(withFiles(env)))
  if (paypal) return createPaypal(paypal).listSales
  if (mode === 'off') throw new ConfigError('--with-provider: payments are off, so there is no provider to ask')
  return createSandbox({ pool, calendar: Date.now, clock: Date.now, secret: '' }).listSales
}
