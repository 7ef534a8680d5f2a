import type { PaypalAccess } from '../../providers/payments/paypal/paypalApi.ts'
import type { PaidTier } from '../../subscriptions/events.ts'
import { ConfigError, type Environment, isComplete, PAYPAL } from './environment.ts'

export interface PaymentsConfig {
  /** `off`: the installation has no plans. */
  readonly mode: 'paypal' | 'sandbox' | 'off'
  /** Undefined unless the mode is `paypal`. */
  readonly paypal:
    | (PaypalAccess & { readonly webhookId: string; readonly plans: Readonly<Record<PaidTier, string>> })
    | undefined
  /** Credits that every user receives each month without plans; 0 for none. */
  readonly monthlyCredits: number
}

/** Returns `PAYMENTS`, or what the PayPal settings imply: production without them has no plans. */
function modeOf({ PAYMENTS, NODE_ENV, ...env }: Environment): PaymentsConfig['mode'] {
  if (PAYMENTS) return PAYMENTS
  if (PAYPAL.some((name) => env[name])) return 'paypal'
  return NODE_ENV === 'production' ? 'off' : 'sandbox'
}

/** Returns the reasons why production cannot take payments, a sentence each. */
export function paymentFaults(env: Environment): string[] {
  const mode = modeOf(env)
  if (mode === 'sandbox') return ['PAYMENTS is sandbox, which moves no money: set paypal or off']
  return mode === 'paypal' ? PAYPAL.filter((name) => env[name] === undefined).map((name) => `${name} is not set`) : []
}

/** Reads how users pay. @throws ConfigError */
export function readPayments(env: Environment): PaymentsConfig {
  const mode = modeOf(env)
  const paypal = isComplete(env, PAYPAL, 'PAYPAL_') ? paypalOf(env) : undefined
  if (mode === 'paypal' && !paypal) throw new ConfigError('PAYMENTS is paypal, but the PAYPAL_ settings are not set')
  if (mode !== 'off' && env.MONTHLY_CREDITS > 0)
    throw new ConfigError('MONTHLY_CREDITS is for installations without plans: set PAYMENTS=off, or leave it out')
  return { mode, paypal: mode === 'paypal' ? paypal : undefined, monthlyCredits: env.MONTHLY_CREDITS }
}

function paypalOf(env: Environment & Readonly<Record<(typeof PAYPAL)[number], string>>) {
  return {
    clientId: env.PAYPAL_CLIENT_ID,
    clientSecret: env.PAYPAL_CLIENT_SECRET,
    baseUrl: env.PAYPAL_BASE_URL,
    webhookId: env.PAYPAL_WEBHOOK_ID,
    plans: { standard: env.PAYPAL_PLAN_STANDARD, pro: env.PAYPAL_PLAN_PRO, ultimate: env.PAYPAL_PLAN_ULTIMATE },
  }
}
