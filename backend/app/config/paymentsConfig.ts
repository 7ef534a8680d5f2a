import type { PaypalAccess } from '../../providers/payments/paypal/paypalApi.ts'
import { OFFERS } from '../../subscriptions/contract.ts'
import type { PaidTier } from '../../subscriptions/events.ts'
import { ConfigError, type Environment, isComplete, PAYPAL, STRIPE } from './environment.ts'

type Till = 'stripe' | 'paypal' | 'sandbox'

export interface PaymentsConfig {
  /** The payment providers, the preferred one first; none in an installation without plans. */
  readonly tills: readonly Till[]
  /** Undefined unless it is one of the tills, like `stripe`. */
  readonly paypal:
    | (PaypalAccess & { readonly webhookId: string; readonly plans: Readonly<Record<PaidTier, string>> })
    | undefined
  readonly stripe: Readonly<{ secretKey: string; webhookSecret: string; baseUrl: string }> | undefined
  /** What the plans list besides what the software does. */
  readonly offers: readonly (typeof OFFERS)[number][]
  /** Credits that every user receives each month without plans; 0 for none. */
  readonly monthlyCredits: number
}

const SETTINGS = { stripe: STRIPE, paypal: PAYPAL, sandbox: [] } as const

/** Returns `PAYMENTS`, or what the settings of the providers imply: production without them has no plans. */
function tillsOf({ PAYMENTS, NODE_ENV, ...env }: Environment): readonly Till[] {
  if (PAYMENTS !== undefined) return PAYMENTS === 'off' ? [] : PAYMENTS.split(',').map((name) => name.trim() as Till)
  const implied = (['stripe', 'paypal'] as const).filter((till) => SETTINGS[till].some((name) => env[name]))
  if (implied.length > 0) return implied
  return NODE_ENV === 'production' ? [] : ['sandbox']
}

/** Returns the reasons why production cannot take payments, a sentence each. */
export function paymentFaults(env: Environment): string[] {
  const tills = tillsOf(env)
  if (tills.includes('sandbox')) return ['PAYMENTS is sandbox, which moves no money: set stripe, paypal or off']
  return tills
    .flatMap((till) => SETTINGS[till] as readonly (keyof Environment)[])
    .filter((name) => env[name] === undefined)
    .map((name) => `${name} is not set`)
}

/** Reads how users pay. @throws ConfigError */
export function readPayments(env: Environment): PaymentsConfig {
  const tills = tillsOf(env)
  const paypal = isComplete(env, PAYPAL, 'PAYPAL_') ? paypalOf(env) : undefined
  const stripe = isComplete(env, STRIPE, 'STRIPE_') ? stripeOf(env) : undefined
  for (const [till, settings] of Object.entries({ paypal, stripe }))
    if (tills.includes(till as Till) && !settings)
      throw new ConfigError(`PAYMENTS names ${till}, but the ${till.toUpperCase()}_ settings are not set`)
  if (tills.length > 0 && env.MONTHLY_CREDITS > 0)
    throw new ConfigError('MONTHLY_CREDITS is for installations without plans: set PAYMENTS=off, or leave it out')
  return {
    tills,
    paypal: tills.includes('paypal') ? paypal : undefined,
    stripe: tills.includes('stripe') ? stripe : undefined,
    offers: env.PLAN_OFFERS ?? (env.NODE_ENV === 'production' ? [] : OFFERS),
    monthlyCredits: env.MONTHLY_CREDITS,
  }
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

const stripeOf = (env: Environment & Readonly<Record<(typeof STRIPE)[number], string>>) => ({
  secretKey: env.STRIPE_SECRET_KEY,
  webhookSecret: env.STRIPE_WEBHOOK_SECRET,
  baseUrl: env.STRIPE_BASE_URL,
})
