import { isRetried, loadPlan, type Plan } from '../../api/plans/subscription.ts'
import { translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { Notice } from '../../ui/Notice.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import type { Tone } from '../../ui/toasts/toasts.ts'

/** Shows notices about failed payments, scheduled plan changes and the end of the plan. */
export function PlanNotices({ plan }: { plan: Plan }) {
  const t = translate()
  if (plan.lacks)
    return (
      <RetryNotice
        tone="warning"
        text={t(plan.lacks === 'plan' ? 'subscription.notice.sample' : 'subscription.notice.dates')}
        onRetry={loadPlan}
      />
    )
  return [...noticesOf(plan)].map(({ tone, text }) => (
    <Notice tone={tone} key={text}>
      {text}
    </Notice>
  ))
}

function* noticesOf({ stats, current }: Plan): Iterable<{ readonly tone: Tone; readonly text: string }> {
  const t = translate()
  const plan = t(`plans.tier.${stats.current_tier}.name`)
  const status = stats.current_status
  const ends = current?.current_period_end
  if (status === 'suspended') yield { tone: 'danger', text: t('subscription.notice.suspended', { plan }) }
  else if (isRetried(current))
    yield { tone: 'danger', text: t('subscription.notice.grace', { plan, date: dayText(current.grace_until) }) }
  if (current?.next_tier && ends) {
    const next = t(`plans.tier.${current.next_tier}.name`)
    yield { tone: 'info', text: t('subscription.notice.next', { plan: next, date: dayText(ends) }) }
  } else if (status === 'cancelled' && ends)
    yield { tone: 'warning', text: t('subscription.notice.cancelled', { plan, date: dayText(ends) }) }
  if (status === 'pending') yield { tone: 'info', text: t('subscription.notice.pending') }
  if (status === 'expired') yield { tone: 'info', text: t('subscription.notice.expired') }
}
