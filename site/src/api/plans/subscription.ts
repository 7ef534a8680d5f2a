import { atom } from 'nanostores'
import { type CurrentSubscription, cancel, current, reactivate, type Stats } from '#backend/subscriptions/contract.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { call } from '../api.ts'
import { ApiError } from '../apiError.ts'
import { loadCredits } from '../credits.ts'
import { errorText } from '../errorText.ts'

export interface Plan {
  readonly stats: Stats
  /** Null on the Free plan and if loading failed. */
  readonly current: CurrentSubscription | null
  /** What failed to load: the plan, in which case `stats` is sample data, or only its dates. */
  readonly lacks: 'plan' | 'dates' | null
}

/** Sample data of a new Free account, shown if the plan cannot be loaded. */
const SAMPLE_STATS: Stats = {
  current_tier: 'free',
  current_status: 'active',
  remaining_credits: 60,
  total_credits: 60,
  used_credits: 0,
  next_reset_date: null,
}

/** The user's plan; null while loading. */
export const $plan = atom<Plan | null>(null)

/** Returns the user's subscription, if there is one. @throws ApiError */
export async function readCurrent(): Promise<CurrentSubscription | null> {
  try {
    return await call(current)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

export async function loadPlan(): Promise<void> {
  const [stats, dates] = await Promise.allSettled([loadCredits(), readCurrent()])
  if (stats.status === 'rejected') return $plan.set({ stats: SAMPLE_STATS, current: null, lacks: 'plan' })
  if (dates.status === 'rejected') return $plan.set({ stats: stats.value, current: null, lacks: 'dates' })
  $plan.set({ stats: stats.value, current: dates.value, lacks: null })
}

/** Returns whether PayPal retries a failed payment. It stops when the plan is cancelled or suspended, which `status` tells. */
export const isRetried = (
  current: CurrentSubscription | null,
): current is CurrentSubscription & { grace_until: string } =>
  (current?.status === 'active' || current?.status === 'trial') && current.grace_until !== null

/** Returns whether the plan has ended at the payment provider, so that it cannot be reactivated. */
export const isFinal = (current: CurrentSubscription | null) =>
  current?.cancel_at_period_end === true && !current.can_reactivate

/** Returns when the plan would end if it were cancelled now: with its paid period, or with the grace period if that is later. */
export function planEnd({ current_period_end: paid, grace_until: grace }: CurrentSubscription): string | 'now' {
  const end = [paid, grace]
    .filter((instant) => instant !== null)
    .toSorted()
    .at(-1)
  return end !== undefined && Date.parse(end) > Date.now() ? end : 'now'
}

/**
 * Cancels the plan at the end of the period, or `now`. A plan that nothing pays for ends immediately.
 * @returns an error message, or undefined on success
 */
export async function cancelPlan(reason: string, now: boolean): Promise<string | undefined> {
  const t = translate()
  let isRefundProposed = false
  try {
    const body = { ...(reason && { reason }), ...(now && { cancel_at_period_end: false }) }
    const answer = await call(cancel, Object.keys(body).length > 0 ? { body } : {})
    isRefundProposed = answer.refund_proposed
  } catch (error) {
    return errorText(error, t('subscription.cancel.failed'))
  }
  const plan = $plan.get()
  const end = plan?.current ? planEnd(plan.current) : null
  if (now || end === 'now') await loadPlan()
  else if (plan) {
    const cancelled = {
      status: 'cancelled',
      cancel_at_period_end: true,
      can_reactivate: !isFinal(plan.current),
      next_tier: null,
    } as const
    const stats = { ...plan.stats, current_status: 'cancelled' } as const
    $plan.set({ ...plan, stats, current: plan.current && { ...plan.current, ...cancelled, current_period_end: end } })
  }
  showToast('success', t(isRefundProposed ? 'subscription.cancel.doneRefund' : 'subscription.cancel.done'))
  return undefined
}

/** Reverts a cancellation or a plan change. */
export async function reactivatePlan(): Promise<void> {
  const t = translate()
  try {
    await call(reactivate)
    showToast('success', t('subscription.reactivated'))
  } catch (error) {
    showToast('danger', errorText(error, t('payment.subscriptionFailed')))
  }
  await loadPlan()
}
