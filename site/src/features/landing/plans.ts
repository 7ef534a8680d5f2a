import { lazyToast } from '../../ui/lazyToast.ts'

const SETTLED_MS = 500
/** Long enough to read why. */
const WARNED_MS = 1500

/** `/?section=pricing` scrolls to the plans once the page has settled. */
export function scrollToPricing(): void {
  if (new URLSearchParams(location.search).get('section') !== 'pricing') return
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
}

/** Members go to the payment provider; others are told that buying needs an account, and sent to the sign-in. */
export function followPlans(): void {
  const plans = document.getElementById('plans')
  plans?.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-plan]')
    if (!link) return
    event.preventDefault()
    if (document.documentElement.dataset.session === 'in') return void buy(link)
    void lazyToast('warning', plans.dataset.loginFirst ?? '')
    setTimeout(() => location.assign(link.href), WARNED_MS)
  })
}

async function buy(link: HTMLAnchorElement): Promise<void> {
  if (link.ariaBusy) return
  link.ariaBusy = 'true'
  const { buyPlan } = await import('../../api/purchase.ts')
  // The link stays busy while the browser leaves.
  if (!(await buyPlan(link.dataset.plan ?? ''))) link.ariaBusy = null
}
