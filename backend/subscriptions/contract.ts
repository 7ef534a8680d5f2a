import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'
import { cleanText } from '../kernel/text/typedText.contract.ts'
import { PACK_CURRENCIES, PACK_IDS } from './packs.contract.ts'
import { TIERS } from './plans.contract.ts'

export { PACK_CURRENCIES, PACK_IDS, PACKS, type PackCurrency, type PackId, priceOf } from './packs.contract.ts'
export {
  factOf,
  OFFERS,
  openTaskLimit,
  PLAN_FEATURES,
  PLANS,
  type Plan,
  STANDARD_COST,
  TIERS,
  type Tier,
} from './plans.contract.ts'

const SUBSCRIPTION_STATUSES = ['active', 'cancelled', 'expired', 'suspended', 'pending', 'trial'] as const

export const Stats = z.object({
  current_tier: z.enum(TIERS),
  current_status: z.enum(SUBSCRIPTION_STATUSES),
  /** Spendable credits, excluding those held for open tasks. Negative if credits are owed after a refund. */
  remaining_credits: z.number(),
  total_credits: z.number(),
  used_credits: z.number(),
  next_reset_date: z.nullable(z.string()),
  /** Whether the user is in a team, the own one or another's; absent otherwise. */
  in_team: z.optional(z.boolean()),
})
export type Stats = z.infer<typeof Stats>

export const stats = endpoint('GET /subscriptions/stats', {
  access: 'user',
  scope: 'account:read',
  answer: Stats,
  summary: "The user's tier and credits",
})

export const CurrentSubscription = z.object({
  tier: z.enum(TIERS),
  status: z.enum(SUBSCRIPTION_STATUSES),
  billing_cycle: z.literal('monthly'),
  current_period_start: z.nullable(z.string()),
  /** Next billing date, or end date of a cancelled subscription. */
  current_period_end: z.nullable(z.string()),
  cancel_at_period_end: z.boolean(),
  /** Whether a cancellation can be withdrawn. It cannot once the payment provider or the period has ended the subscription. */
  can_reactivate: z.boolean(),
  /** Price in integer cents. */
  price_monthly: z.number(),
  currency: z.string(),
  /** End of the grace period after a failed payment; null if there is none. */
  grace_until: z.nullable(z.string()),
  /** Plan that starts when the period ends; null if no change is scheduled. */
  next_tier: z.nullable(z.enum(TIERS)),
  /** Credits of the plan that cancelling immediately forfeits; cancelling at the end of the period keeps them until then. */
  plan_credits: z.number(),
  /** Name of the payment provider. */
  payment_provider: z.string(),
  /** Whether cancelling immediately proposes a refund of the unused share to the operator. */
  refundable: z.boolean(),
})
export type CurrentSubscription = z.infer<typeof CurrentSubscription>

export const current = endpoint('GET /subscriptions/current', {
  access: 'user',
  answer: CurrentSubscription,
  refuses: ['not_found'],
  summary: "The user's subscription; 404 for Free",
})

export const PlanConfiguration = z.object({
  tier: z.enum(TIERS),
  name: z.string(),
  name_zh: z.string(),
  description: z.string(),
  description_zh: z.string(),
  /** Price in US cents, like `price_struck`. */
  price_monthly: z.number(),
  price_struck: z.nullable(z.number()),
  currency: z.string(),
  /** Price in Chinese fen. */
  price_monthly_cny: z.number(),
  credits_monthly: z.number(),
  /** One-time credits of the Free plan; null for paid plans. */
  lifetime_quota: z.nullable(z.number()),
  max_concurrent_tasks: z.number(),
  max_waiting_tasks: z.number(),
  priority: z.enum(['free', 'normal', 'high', 'highest']),
  features: z.array(z.string()),
  features_zh: z.array(z.string()),
  popular: z.boolean(),
  paypal_plan_id_monthly: z.nullable(z.string()),
})

export const plans = endpoint('GET /subscriptions/plans', {
  access: 'public',
  answer: z.array(PlanConfiguration),
  refuses: ['payments_off'],
  summary: 'The four plans',
})

/** Name of a payment provider from `payment_providers` of `GET /status`; by default the preferred one. */
const provider = z.optional(z.string().check(z.regex(/^[a-z]{1,32}$/, 'invalid_provider')))

/** Version of the text by which a buyer asks to begin before the time to withdraw ends: `plans.consent` of the site. */
export const CONSENT = '2026-11'
const consent = z.optional(z.literal(CONSENT))

export const upgrade = endpoint('POST /subscriptions/upgrade', {
  access: 'user',
  unlessSuspended: true,
  body: z.object({
    new_tier: z.enum(['standard', 'pro', 'ultimate'], 'invalid_plan'),
    billing_cycle: z._default(z.literal('monthly', 'invalid_billing_cycle'), 'monthly'),
    provider,
    /** Language of the approval page and of the pages that it redirects to. */
    language: z._default(z.enum(['en', 'zh']), 'en'),
    consent,
  }),
  answer: z.object({ data: z.object({ approval_url: z.string(), subscription_id: z.string() }) }),
  idempotent: true,
  refuses: [
    'already_subscribed',
    'too_many_approvals',
    'no_payment_link',
    'no_such_provider',
    'till_paused',
    'payments_off',
  ],
  summary: 'Requests a plan, which the buyer approves at `approval_url`. A smaller plan starts with the next period',
})

export const cancel = endpoint('POST /subscriptions/cancel', {
  access: 'user',
  body: z._default(
    z.object({
      reason: z.optional(z.string().check(z.overwrite(cleanText), z.maxLength(500, 'too_long'))),
      cancel_at_period_end: z._default(z.boolean(), true),
    }),
    { cancel_at_period_end: true },
  ),
  /** `refund_proposed`: the plan ended within 14 days of its payment, so the operator decides on a refund of the unused share. */
  answer: z.object({ success: z.boolean(), refund_proposed: z.boolean() }),
  refuses: ['no_subscription', 'payments_off'],
  summary: 'Cancels at the end of the period or immediately. The body is optional',
})

export const reactivate = endpoint('POST /subscriptions/reactivate', {
  access: 'user',
  unlessSuspended: true,
  answer: z.object({ success: z.boolean() }),
  refuses: ['no_subscription', 'cannot_reactivate', 'payments_off'],
  summary: 'Withdraws a cancellation before the period ends',
})

export const confirm = endpoint('POST /subscriptions/confirm', {
  access: 'user',
  body: z.object({
    subscription_id: z
      .string()
      .check(z.minLength(1, 'required'), z.maxLength(128, 'too_long'), z.regex(/^[\x20-\x7e]+$/, 'invalid_characters')),
  }),
  answer: z.extend(Stats, {
    /** Whether the provider is still processing the subscription. The stats are those of the plan before. */
    pending: z.boolean(),
    /** `unapproved`: the provider has no approval of the buyer. `ended`: the subscription is over, so it is not the plan. */
    outcome: z.enum(['unapproved', 'pending', 'started', 'ended']),
  }),
  refuses: ['not_found', 'payments_off'],
  summary: 'Processes the approval after the return from the approval page, and returns the stats',
})

export const paymentPage = endpoint('POST /subscriptions/payment-page', {
  access: 'user',
  body: z._default(z.object({ language: z._default(z.enum(['en', 'zh']), 'en') }), { language: 'en' }),
  answer: z.object({ data: z.object({ url: z.string() }) }),
  refuses: ['not_found', 'no_payment_link', 'payments_off'],
  summary:
    'Returns the page of the payment provider on which the buyer completes a failed payment, or changes how the plan is paid',
})

export const Invoice = z.object({
  id: z.string(),
  /** Number of the invoice; the provider's sale id until one is issued. */
  number: z.string(),
  /** The provider's sale id. */
  payment: z.string(),
  /** Path of the invoice as a PDF; null until it is issued. */
  pdf: z.nullable(z.string()),
  /** Credit notes, and invoices for what won disputes returned, in their order. */
  corrections: z.array(
    z.object({
      kind: z.enum(['credit_note', 'invoice']),
      number: z.string(),
      /** Amount in integer cents. */
      amount: z.number(),
      issued_at: z.string(),
      pdf: z.string(),
    }),
  ),
  /** The plan that was sold; null if it was a pack of credits. */
  tier: z.nullable(z.enum(TIERS)),
  /** Id of the pack of credits that was sold; null if it was a plan. */
  pack: z.nullable(z.string()),
  /** Amount in integer cents, like `refunded`. */
  amount: z.number(),
  refunded: z.number(),
  currency: z.string(),
  credits: z.number(),
  status: z.enum(['paid', 'partially_refunded', 'refunded']),
  /** Name of the payment provider; the sandbox stands for PayPal. */
  payment_method: z.string(),
  paid_at: z.string(),
  /** Both are the time of the sale if it was a pack. */
  period_start: z.string(),
  period_end: z.string(),
  /** End of the time to withdraw from the contract; null if it is over, or nothing is left to withdraw from. */
  withdrawable_until: z.nullable(z.string()),
  /** When the buyer withdrew from the contract. */
  withdrawn_at: z.nullable(z.string()),
})
export type Invoice = z.infer<typeof Invoice>

export const invoices = endpoint('GET /subscriptions/invoices', {
  access: 'user',
  query: z.object(paging(8)),
  answer: z.object({ invoices: z.array(Invoice), total: z.number() }),
  summary: "The user's payments, newest first",
})

export const withdrawSale = endpoint('POST /subscriptions/withdraw', {
  access: 'user',
  body: z.object({ payment: z.string().check(z.minLength(1, 'required'), z.maxLength(128, 'too_long')) }),
  answer: z.object({
    /** Credits of the payment that were spent, or are held for open tasks. */
    used_credits: z.number(),
    /** Proposed refund in integer cents. */
    refund: z.number(),
    currency: z.string(),
  }),
  refuses: ['not_found', 'withdrawal_over'],
  summary: 'Withdraws from the contract of a payment of the last 14 days, and ends its plan',
})

export const packs = endpoint('GET /credits/packs', {
  access: 'public',
  answer: z.object({
    packs: z.array(
      z.object({
        id: z.enum(PACK_IDS),
        credits: z.number(),
        /** Credits on top of `credits`. */
        bonus: z.number(),
        /** Price in integer cents, of the first of `prices`. */
        price: z.number(),
        currency: z.enum(PACK_CURRENCIES),
        /** Price in the smallest unit of each currency in which it can be paid here, if there are several. */
        prices: z.optional(z.array(z.object({ currency: z.enum(PACK_CURRENCIES), price: z.number() }))),
      }),
    ),
  }),
  refuses: ['payments_off'],
  summary: 'Packs of credits that never expire',
})

export const buyPack = endpoint('POST /credits/packs/:id/buy', {
  access: 'user',
  unlessSuspended: true,
  body: z._default(
    z.object({
      currency: z._default(z.enum(PACK_CURRENCIES, 'invalid_currency'), 'USD'),
      provider,
      /** Language of the payment page and of the pages that it redirects to. */
      language: z._default(z.enum(['en', 'zh']), 'en'),
      consent,
    }),
    { currency: 'USD', language: 'en' },
  ),
  answer: z.object({ data: z.object({ approval_url: z.string(), order_id: z.string() }) }),
  idempotent: true,
  refuses: ['not_found', 'too_many_approvals', 'no_payment_link', 'no_such_provider', 'till_paused', 'payments_off'],
  summary: 'Orders a pack of credits, which the buyer pays at `approval_url`. The body is optional',
})

export const confirmOrder = endpoint('POST /credits/orders/:id/confirm', {
  access: 'user',
  answer: z.object({
    /** `unpaid`: the provider has no payment. `pending`: it is being booked. */
    status: z.enum(['unpaid', 'pending', 'paid', 'lapsed']),
    stats: Stats,
  }),
  refuses: ['not_found', 'payments_off'],
  summary: 'Processes the payment of a pack after the return from the payment page',
})
