import { TIERS, type Tier } from '#backend/subscriptions/contract.ts'
import { $credits } from '../../api/credits.ts'
import { part } from '../../ui/part.ts'

/** Marks the plan of a signed-in reader, which cannot be chosen again, and words the others as changes. */
export function markCurrentPlan(plans: HTMLElement): void {
  let marked: string | null = null
  // The credits change more often than the plan.
  $credits.subscribe((credits) => {
    const tier = credits?.tier
    if (!tier || tier === marked) return
    marked = tier
    mark(plans, tier)
  })
}

const rankOf = (tier: string | undefined) => TIERS.indexOf(tier as Tier)

function mark({ children, dataset }: HTMLElement, current: string): void {
  for (const plan of children as HTMLCollectionOf<HTMLElement>) {
    const { tier } = plan.dataset
    const link = part<HTMLAnchorElement>(':scope > a', plan)
    plan.classList.toggle('plan-current', tier === current)
    if (tier !== 'free' && tier !== current && current !== 'free') link.textContent = link.dataset.switch ?? ''
    // A change to a smaller plan is not what a page asks for most.
    if (rankOf(tier) < rankOf(current)) link.classList.replace('button-primary', 'button-outline')
    if (tier === 'free' && current !== 'free') link.textContent = dataset.included ?? ''
    if (tier !== 'free' && tier !== current) continue
    if (tier === current) {
      link.textContent = (tier === 'free' ? dataset.current : dataset.manage) ?? ''
      plan.querySelector('h3')?.append(Object.assign(document.createElement('small'), { textContent: dataset.current }))
    }
    link.href = dataset.profile ?? ''
    delete link.dataset.plan
  }
}
