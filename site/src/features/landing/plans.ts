const SETTLED_MS = 500

/** Scrolls to the plans on `/?section=pricing` after a delay that lets the layout settle. */
export function scrollToPricing(): void {
  if (new URLSearchParams(location.search).get('section') !== 'pricing') return
  setTimeout(() => document.getElementById('pricing-section')?.scrollIntoView(), SETTLED_MS)
}

/** Makes the links of plans and packs start the purchase for signed-in users, and open the login page after a warning for visitors. */
export function setUpPlanLinks(): void {
  const plans = document.getElementById('plans')
  const section = plans?.parentElement
  if (section && document.documentElement.dataset.session === 'in') {
    void import('./currentPlan.ts').then(({ markCurrentPlan }) => markCurrentPlan(plans))
    void import('./packPrices.ts').then(({ showPackPrices }) => showPackPrices(section))
  }
  section?.addEventListener('click', (event) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('a[data-plan], a[data-pack]')
    if (!link) return
    event.preventDefault()
    import('./choosePlan.ts').then(
      ({ choosePlan }) => choosePlan(link, plans?.dataset.loginFirst ?? ''),
      // After a release, the file is gone.
      () => location.reload(),
    )
  })
}
