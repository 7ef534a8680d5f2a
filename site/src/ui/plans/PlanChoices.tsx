import { useState } from 'react'
import { PLANS, TIERS, type Tier } from '#backend/subscriptions/contract.ts'
import { buyPlan } from '../../api/plans/purchase.ts'
import { isFinal, type Plan } from '../../api/plans/subscription.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { advertisedPrice, money } from '../../i18n/money.ts'
import { Button } from '../Button.tsx'
import { useTill } from './useTill.tsx'

/** Lists the paid plans with buttons to subscribe, upgrade or downgrade. */
export function PlanChoices({ plan }: { plan: Plan }) {
  const t = translate()
  const [buying, setBuying] = useState<Tier | null>(null)
  const [till, tillField] = useTill(({ currency }) => currency === 'USD')
  const free = plan.stats.current_tier === 'free'
  const buy = async (tier: Tier) => {
    if (buying) return
    setBuying(tier)
    await buyPlan(tier, till)
    setBuying(null)
  }
  return (
    <div className="stack plan-choices">
      <h3>{t(free ? 'subscription.choose.headingFree' : 'subscription.choose.heading')}</h3>
      <p className="muted">{t(free ? 'subscription.choose.leadFree' : 'subscription.choose.lead')}</p>
      {tillField}
      <ul className="stack gap-3">
        {TIERS.filter((tier) => tier !== 'free').map((tier) => (
          <Choice key={tier} tier={tier} plan={plan} busy={buying === tier} onBuy={() => void buy(tier)} />
        ))}
      </ul>
      <p className="hint">{t('plans.consent')}</p>
    </div>
  )
}

interface ChoiceProps {
  readonly tier: Tier
  readonly plan: Plan
  readonly busy: boolean
  readonly onBuy: () => void
}

function Choice({ tier, plan: { stats, current }, busy, onBuy }: ChoiceProps) {
  const t = translate()
  const locale = pageLocale()
  const currentTier = stats.current_tier
  const name = t(`plans.tier.${tier}.name`)
  const verb =
    currentTier === 'free'
      ? 'subscribe'
      : PLANS[tier].priceCents > PLANS[currentTier].priceCents
        ? 'upgrade'
        : 'downgrade'
  const startsAt = current?.next_tier === tier ? current.current_period_end : null
  const isCurrent = tier === currentTier
  // A plan that the payment provider has ended or suspended goes on with a new agreement.
  const isOver = stats.current_status === 'suspended' || isFinal(current)
  const isAgain = isCurrent && isOver
  return (
    <li className="plan-choice stack gap-3" data-tier={tier} aria-current={isCurrent || undefined}>
      <div>
        <strong>{name}</strong>
        <p className="hint">
          {t('subscription.choose.credits', { credits: PLANS[tier].credits.toLocaleString(HTML_LANG[locale]) })}
        </p>
      </div>
      <div className="plan-choice-price">
        <strong>{t('subscription.choose.perMonth', { price: advertisedPrice(tier, locale) })}</strong>
        {/* The Chinese page advertises prices in yuan, but the provider charges US dollars. */}
        {locale === 'zh' && (
          <p className="hint">
            {t('subscription.choose.charged', { price: money(PLANS[tier].priceCents, 'USD', locale) })}
          </p>
        )}
      </div>
      {isCurrent && !isAgain && <span className="badge badge-plain">{t('subscription.choose.current')}</span>}
      {startsAt && (
        <span className="badge" data-tone="info">
          {t('subscription.choose.coming', { date: dayText(startsAt, 'medium') })}
        </span>
      )}
      {(!isCurrent || isAgain) && !startsAt && (
        <Button
          label={t(`subscription.choose.${isAgain ? 'again' : verb}`, { plan: name })}
          variant={verb === 'subscribe' && PLANS[tier].popular ? 'primary' : 'outline'}
          busy={busy}
          onClick={onBuy}
        />
      )}
    </li>
  )
}
