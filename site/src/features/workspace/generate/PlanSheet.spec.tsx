import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { $plan, type Plan } from '../../../api/plans/subscription.ts'
import { PlanSheet } from './PlanSheet.tsx'

const FREE = { current_tier: 'free', current_status: 'active', remaining_credits: 60 }

describe('the plans over the form', () => {
  it('offer no plan as new while the current one is unknown', () => {
    $plan.set({ stats: FREE, current: null, lacks: 'plan' } as Plan)
    const page = renderToStaticMarkup(<PlanSheet onClose={() => {}} />)
    expect(page).not.toContain('data-tier')
    expect(page).toContain('Try again')
  })

  it('are offered to users of the Free plan', () => {
    $plan.set({ stats: FREE, current: null, lacks: null } as Plan)
    expect(renderToStaticMarkup(<PlanSheet onClose={() => {}} />)).toContain('data-tier="pro"')
  })
})
