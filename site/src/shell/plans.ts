import { localHref } from '../i18n/client.ts'
import { toast } from './toast.ts'

const SETTLED_MS = 500
/** Long enough to read why. */
const WARNED_MS = 1500

/** `/?section=pricing` scrolls to the plans once the page has settled. */
export function scrollToPricing(): void {
  if (new URLSearchParams(location.search).get('section') !== 'pricing') return
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
}

/** Buying needs an account: others are told so and sent to the sign-in, which leads back to the subscription. */
export function followPlans(): void {
  const plans = document.getElementById('plans')
  plans?.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-plan]')
    if (!link) return
    event.preventDefault()
    if (document.documentElement.dataset.session === 'in') {
      location.assign(localHref('/profile#subscription'))
      return
    }
    void toast('warning', plans.dataset.loginFirst ?? '')
    setTimeout(() => location.assign(link.href), WARNED_MS)
  })
}
