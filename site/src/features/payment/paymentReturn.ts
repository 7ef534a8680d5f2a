/** Handles the return from the payment provider (spec section 4). */
import { atom } from 'nanostores'
import { confirm, confirmOrder } from '#backend/subscriptions/contract.ts'
import { call } from '../../api/api.ts'
import { once } from '../../api/once.ts'
import { $plan, loadPlan, type Plan } from '../../api/plans/subscription.ts'
import { requireMember } from '../../api/session.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'

/**
 * Whether the plan awaits its payment, starts with the next period without a payment now, or has started. `none`: the address
 * names no payment. `unapproved` and `ended`: there is no plan to pay for yet, or any more. `unpaid` and `packDone`: a pack of
 * credits was not paid, or was.
 */
export type Stage = 'none' | 'unapproved' | 'ended' | 'pending' | 'later' | 'done' | 'unpaid' | 'packDone'

export type PaymentReturn =
  | { readonly kind: 'checking' | 'away' | 'failed' }
  | { readonly kind: 'done'; readonly plan: Plan; readonly stage: Stage }

export const $paymentReturn = atom<PaymentReturn>({ kind: 'checking' })

function stageOf({ stats, current }: Plan): Stage {
  const isPaid = current === null || current.status === 'trial' || current.current_period_start !== null
  if (stats.current_tier === 'free' || !isPaid) return 'pending'
  return current?.next_tier ? 'later' : 'done'
}

const SETTLED_MS = 2000
const SUCCEEDED_MS = 3000
const FAILED_MS = 2000

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const goTo = (path: string, ms: number) => setTimeout(() => location.replace(localHref(path)), ms)

const ORDER_STAGES = { unpaid: 'unpaid', lapsed: 'unpaid', pending: 'pending', paid: 'packDone' } as const

/** Confirms the order of a pack, or the subscription, that the address names. */
async function confirmAddress(): Promise<((plan: Plan) => Stage) | undefined> {
  const query = new URLSearchParams(location.search)
  // Providers add their own ids, which the server knows with the name of the provider.
  const till = query.get('provider')
  const idOf = (name: string) => query.get(name) && (till ? `${till}:${query.get(name)}` : query.get(name))
  const [order, subscription] = [query.get('of') === 'pack' && idOf('token'), idOf('subscription_id')]
  if (order) {
    const { status } = await call(confirmOrder, { params: { id: order } })
    return () => ORDER_STAGES[status]
  }
  if (!subscription) return undefined
  const { outcome } = await call(confirm, { body: { subscription_id: subscription } })
  return (plan) => (outcome === 'started' ? stageOf(plan) : outcome)
}

/** Confirms the payment in the page URL with the server, and returns the plan. @throws if it cannot be loaded */
async function confirmPlan(): Promise<{ plan: Plan; stage: Stage }> {
  const [stageWith] = await Promise.all([confirmAddress(), delay(SETTLED_MS)])
  await loadPlan()
  const plan = $plan.get()
  if (!plan || plan.lacks === 'plan') throw new Error('plan not loaded')
  return { plan, stage: stageWith?.(plan) ?? 'none' }
}

/** Confirms the payment, then redirects. Runs once per page. */
export const openPaymentReturn = once(async () => {
  if (!(await requireMember())) return $paymentReturn.set({ kind: 'away' })
  const t = translate()
  try {
    const confirmed = await confirmPlan()
    $paymentReturn.set({ kind: 'done', ...confirmed })
    if (confirmed.stage === 'done' || confirmed.stage === 'packDone') showToast('success', t('payment.done'))
    goTo('/workspace', SUCCEEDED_MS)
  } catch {
    $paymentReturn.set({ kind: 'failed' })
    showToast('danger', t('payment.processingFailed'), { ms: 8000 })
    goTo('/profile#subscription', FAILED_MS)
  }
})
