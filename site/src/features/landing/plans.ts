import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { lazyToast } from '../../ui/lazyToast.ts'

const SETTLED_MS = 500
const WARNING_MS = 1500

/** Scrolls to the plans on `/?section=pricing` after a delay that lets the layout settle. */
export function scrollToPricing(): void {
  if (new URLSearchParams(location.search).get('section') !== 'pricing') return
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
}

/** Makes plan links start the purchase for signed-in users, and open the login page after a warning for visitors. */
export function setUpPlanLinks(): void {
  const plans = document.getElementById('plans')
  if (plans && document.documentElement.dataset.session === 'in')
    void import('./currentPlan.ts').then(({ markCurrentPlan }) => markCurrentPlan(plans))
  let leaving: ReturnType<typeof setTimeout> | undefined
  plans?.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-plan]')
    if (!link) return
    event.preventDefault()
    if (document.documentElement.dataset.session === 'in') return void buy(link)
    writeLocalStart({ ...readLocalStart(), plan: link.dataset.plan ?? '' })
    void lazyToast('warning', plans.dataset.loginFirst ?? '')
    clearTimeout(leaving)
    leaving = setTimeout(() => location.assign(link.href), WARNING_MS)
  })
}

async function buy(link: HTMLAnchorElement): Promise<void> {
  if (link.ariaBusy) return
  link.ariaBusy = 'true'
  // After a release, the file is gone.
  const purchase = await import('../../api/plans/purchase.ts').catch(() => location.reload())
  await purchase?.buyPlan(link.dataset.plan ?? '')
  link.ariaBusy = null
}
