import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { $plan, loadPlan } from '../../../api/plans/subscription.ts'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PackChoices } from '../../../ui/plans/PackChoices.tsx'
import { PlanChoices } from '../../../ui/plans/PlanChoices.tsx'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'

/** The plans, over the form, which keeps its content. The current plan is marked and cannot be chosen. */
export function PlanSheet({ onClose }: { readonly onClose: () => void }) {
  const t = translate()
  const plan = useStore($plan)
  useEffect(() => void loadPlan(), [])
  return (
    <Dialog size={600} title={t('workspace.plans.heading')} onClose={onClose}>
      <p className="muted">{t('workspace.plans.kept')}</p>
      {plan === null && <div className="skeleton plan-sheet-skeleton" />}
      {plan?.lacks === 'plan' && <RetryNotice tone="warning" text={t('workspace.plans.failed')} onRetry={loadPlan} />}
      {plan && plan.lacks !== 'plan' && <PlanChoices plan={plan} />}
      {plan && plan.lacks !== 'plan' && <PackChoices />}
    </Dialog>
  )
}
