import {
  CONSENT,
  buyPack as orderPack,
  type PackId,
  paymentPage,
  TIERS,
  type Tier,
  upgrade,
} from '#backend/subscriptions/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { call } from '../api.ts'
import { ApiError } from '../apiError.ts'
import { errorText } from '../errorText.ts'
import { leaveFor } from '../pages/leaveFor.ts'
import type { Till } from './tills.ts'

const isPaid = (tier: string): tier is Exclude<Tier, 'free'> => tier !== 'free' && TIERS.some((each) => each === tier)

/** Returns the payment provider's URL if it is safe to open. */
function approvalLink(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address, location.origin)) return undefined
  const { protocol, href } = new URL(address, location.origin)
  return protocol === 'https:' || protocol === location.protocol ? href : undefined
}

function failureText(error: unknown): string {
  const t = translate()
  if (!(error instanceof ApiError)) return t('payment.subscriptionFailed')
  // A proxy's error page has no message for the buyer.
  const unexplained = error.detail === undefined && error.status >= 500
  return unexplained ? t('payment.creationFailed') : errorText(error, t('payment.failed'))
}

/** Orders a plan and opens the payment provider's page. Resolves if it cannot, or when the buyer is still or again on this page. */
export async function buyPlan(tier: string, till?: Till): Promise<void> {
  if (!isPaid(tier)) return refuse(translate()('payment.invalidPlan'))
  const provider = till && { provider: till.provider }
  const body = {
    new_tier: tier,
    billing_cycle: 'monthly',
    ...provider,
    language: pageLocale(),
    consent: CONSENT,
  } as const
  await pay(() => call(upgrade, { body }))
}

/** Orders a pack of credits, and opens the payment provider's page like {@link buyPlan}. */
export const buyPack = (id: PackId, till?: Till): Promise<void> =>
  pay(() => call(orderPack, { params: { id }, body: { ...till, language: pageLocale(), consent: CONSENT } }))

/** Opens the payment provider's page about how the plan is paid, like {@link buyPlan}. */
export const openPaymentPage = (): Promise<void> =>
  pay(async () => {
    const { data } = await call(paymentPage, { body: { language: pageLocale() } })
    return { data: { approval_url: data.url } }
  })

const refuse = (text: string) => showToast('danger', text, { ms: 8000 })

async function pay(order: () => Promise<{ data: { approval_url: string } }>): Promise<void> {
  try {
    const answer = await order()
    const link = approvalLink(answer?.data?.approval_url)
    if (!link) return refuse(translate()('payment.noLink'))
    await leaveFor(link)
  } catch (error) {
    // On a 401, the session handler already informs the user.
    if (!(error instanceof ApiError && error.status === 401)) refuse(failureText(error))
  }
}
