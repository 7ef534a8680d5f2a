import { lazyToast } from '../../ui/lazyToast.ts'

const SETTLED_MS = 500
const WARNING_MS = 1500

/** Scrolls to the plans on `/?section=pricing` once the layout has settled. */
export function scrollToPricing(): void {
  if (new URLSearchParams(location.search).get('section') !== 'pricing') return
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
}

/** Sends members to the payment provider, and visitors to the login page after a warning. */
export function setUpPlanLinks(): void {
  const plans = document.getElementById('plans')
  plans?.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-plan]')
    if (!link) return
    event.preventDefault()
    if (document.documentElement.dataset.session === 'in') return void buy(link)
    void lazyToast('warning', plans.dataset.loginFirst ?? '')
    setTimeout(() => location.assign(link.href), WARNING_MS)
  })
}

async function buy(link: HTMLAnchorElement): Promise<void> {
  if (link.ariaBusy) return
  link.ariaBusy = 'true'
  const { buyPlan } = await import('../../api/purchase.ts')
  // Stay busy while the browser leaves the page.
  if (!(await buyPlan(link.dataset.plan ?? ''))) link.ariaBusy = null
}
