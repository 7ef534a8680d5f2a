import { useStore } from '@nanostores/react'
import type { CurrentSubscription, Stats } from '#backend/subscriptions/contract.ts'
import { hasPlans } from '../../api/installation.ts'
import { openPaymentPage } from '../../api/plans/purchase.ts'
import { $plan, isFinal, isRetried, type Plan, planEnd, reactivatePlan } from '../../api/plans/subscription.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { PackChoices } from '../../ui/plans/PackChoices.tsx'
import { PlanChoices } from '../../ui/plans/PlanChoices.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { CancelPlan } from './CancelPlan.tsx'
import { Meter } from './Meter.tsx'
import { PlanNotices } from './PlanNotices.tsx'
import { RedeemCode } from './RedeemCode.tsx'

const TONES = {
  active: 'success',
  trial: 'success',
  pending: 'info',
  cancelled: 'warning',
  suspended: 'danger',
  expired: undefined,
} as const
/** Fraction of credits used above which a paid plan shows a warning. */
const HIGH = 0.8

/** Shows the plan, its credit usage and the available actions. */
export function Subscription() {
  const t = translate()
  const plan = useStore($plan)
  return (
    <section className="stack stack-wide profile-section" id="subscription" aria-labelledby="subscription-heading">
      <h2 id="subscription-heading">{t(hasPlans() ? 'subscription.heading' : 'subscription.usage')}</h2>
      {plan ? (
        hasPlans() ? (
          <Panel plan={plan} />
        ) : (
          <CreditsOnly stats={plan.stats} />
        )
      ) : (
        <div className="skeleton plan-skeleton" aria-busy="true" />
      )}
    </section>
  )
}

/** Shows the credits where there are no plans. */
function CreditsOnly({ stats }: { stats: Stats }) {
  const t = translate()
  const next = stats.next_reset_date
  return (
    <div className="stack stack-wide card profile-card">
      <p className="muted">
        {t('subscription.noPlans')} {next && t('subscription.nextCredits', { date: dayText(next) })}
      </p>
      <Usage stats={stats} />
      <RedeemCode />
    </div>
  )
}

function Panel({ plan }: { plan: Plan }) {
  const t = translate()
  // A plan change cancels the old plan at the provider, but the user still has an active subscription.
  const status = plan.current?.next_tier ? 'active' : plan.stats.current_status
  return (
    <div className="stack stack-wide card profile-card">
      <PlanNotices plan={plan} />
      <Facts
        className="plan-facts"
        facts={[
          ...factsOf(plan),
          [
            t('subscription.status'),
            <span className="badge" data-tone={TONES[status]} key="status">
              {t(`subscription.statusOf.${status}`)}
            </span>,
          ],
        ]}
      />
      <Usage stats={plan.stats} />
      {plan.lacks !== 'plan' && <PlanChoices plan={plan} />}
      {plan.lacks !== 'plan' && <PackChoices />}
      <RedeemCode />
      {plan.stats.current_tier !== 'free' && (
        <div ref={keepFocus}>
          <Actions plan={plan} />
        </div>
      )}
    </div>
  )
}

function factsOf({ stats, current }: Plan): readonly (readonly [string, string])[] {
  const t = translate()
  const locale = pageLocale()
  const name = [t('subscription.plan'), t(`plans.tier.${stats.current_tier}.name`)] as const
  if (stats.current_tier === 'free') return [name, [t('subscription.expires'), t('subscription.never')]]
  const end = current?.current_period_end ?? stats.next_reset_date
  const ends = stats.current_status === 'cancelled' || current?.cancel_at_period_end
  const label = current?.next_tier ? 'starts' : ends ? 'ends' : 'nextBilling'
  const date = end ? dayText(end) : t('subscription.unknown')
  const payment =
    stats.current_status === 'suspended' ? t('billing.nextNone') : isRetried(current) ? t('billing.nextRetry') : date
  const price = current && money(current.price_monthly, current.currency, locale)
  return [
    name,
    ...(price ? [[t('subscription.price'), t('subscription.choose.perMonth', { price })] as const] : []),
    [t('subscription.cycle'), t('subscription.monthly')],
    [t(`subscription.${label}`), label === 'nextBilling' ? payment : date],
  ]
}

function Usage({ stats }: { stats: Stats }) {
  const t = translate()
  const { used_credits: used, total_credits: total, remaining_credits: remaining } = stats
  const part = total > 0 ? Math.min(1, Math.max(0, used / total)) : used > 0 ? 1 : 0
  const high = stats.current_tier !== 'free' && part > HIGH
  const number = (value: number) => value.toLocaleString(HTML_LANG[pageLocale()])
  const text = t('subscription.used', { used: number(used), total: number(Math.max(total, used)) })
  return (
    <div className="stack usage" data-tone={high ? 'danger' : undefined}>
      <span className="row spread usage-text">
        <span>{text}</span>
        <strong>{t('subscription.left', { remaining: number(Math.max(0, remaining)) })}</strong>
      </span>
      <Meter label={t('subscription.usage')} text={text} part={part} />
      {high && <p className="hint usage-high">{t('subscription.high')}</p>}
      {remaining < 0 && <p className="hint">{t('subscription.owed', { count: -remaining })}</p>}
    </div>
  )
}

/** Returns what ending the plan now means; null if it ends now anyway, or has ended at the payment provider. */
function nowOf(current: CurrentSubscription | null) {
  if (!current || isFinal(current) || planEnd(current) === 'now') return null
  return { credits: current.plan_credits, refundable: current.refundable }
}

function Actions({ plan: { stats, current } }: { plan: Plan }) {
  const t = translate()
  const [busy, run] = useBusy()
  const [opening, open] = useBusy()
  const changing = Boolean(current?.next_tier)
  const cancelled = !changing && (stats.current_status === 'cancelled' || current?.cancel_at_period_end === true)
  const plan = t(`plans.tier.${stats.current_tier}.name`)
  return (
    <div className="row row-wide plan-actions">
      {(changing || cancelled) && current?.can_reactivate !== false && (
        <Button
          label={changing ? t('subscription.keepPlan', { plan }) : t('subscription.reactivate')}
          variant={cancelled ? 'primary' : 'outline'}
          icon="refresh"
          busy={busy}
          onClick={() => run(reactivatePlan)}
        />
      )}
      {current && current.payment_provider !== 'paypal' && (
        <Button
          label={t(isRetried(current) ? 'subscription.method.complete' : 'subscription.method.change')}
          variant={isRetried(current) ? 'primary' : 'outline'}
          busy={opening}
          onClick={() => open(openPaymentPage)}
        />
      )}
      {!cancelled && (
        <CancelPlan
          endsAt={current ? planEnd(current) : stats.next_reset_date}
          isFinal={isFinal(current)}
          now={nowOf(current)}
        />
      )}
    </div>
  )
}
