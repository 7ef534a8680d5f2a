import { useStore } from '@nanostores/react'
import { $credits } from '../../../api/credits.ts'
import { hasPlans } from '../../../api/installation.ts'
import { localHref, translate } from '../../../i18n/client.ts'
import { dayText } from '../../../i18n/dayText.ts'
import { Fault } from '../../../ui/Field.tsx'
import { $cost, $generation, $prompts, $short } from '../generation.ts'
import { leftText } from '../stage/leftText.ts'
import { $nextPlace, $open } from './takeCount.ts'

interface PlansProps {
  /** Opens the plans. */
  readonly onPlans: () => void
}

/** Explains which plan or how many credits the video requires. */
export function Locked({ onPlans }: PlansProps) {
  const t = translate()
  const cost = useStore($cost) * useStore($prompts).length
  const { resolution } = useStore($generation)
  const short = useStore($short)
  const credits = useStore($credits)
  const isSpent = credits?.tier === 'free' && credits.remaining === 0
  if (short && !hasPlans()) return <LockedWithoutPlans cost={cost} />
  const more = isSpent
    ? t('workspace.form.spent')
    : t('workspace.form.short', { cost, remaining: credits?.remaining ?? 0 })
  return (
    <div className="stack gap-1">
      <Fault id="generate-fault" text={t(short ? 'errors.insufficient_credits' : 'errors.plan_required')} />
      <p className="hint">
        {short ? more : t('workspace.excluded.resolutionPlan', { resolution })}
        {!short && <Suspended />} <PlansLink onPlans={onPlans} />
      </p>
    </div>
  )
}

/** Says when the next credits come, where no plan can be bought. */
function LockedWithoutPlans({ cost }: { cost: number }) {
  const t = translate()
  const credits = useStore($credits)
  return (
    <div className="stack gap-1">
      <Fault id="generate-fault" text={t('workspace.withoutPlans.insufficient_credits')} />
      <p className="hint">
        {t('workspace.form.short', { cost, remaining: credits?.remaining ?? 0 })}{' '}
        {credits?.next
          ? t('workspace.withoutPlans.next', { date: dayText(credits.next) })
          : t('workspace.withoutPlans.ask')}
      </p>
    </div>
  )
}

/** Says that the plan's limit of open tasks is reached, when the next place opens, and how to get more. */
export function QueueFull({ onPlans }: PlansProps) {
  const t = translate()
  const open = useStore($open)
  const seconds = useStore($nextPlace)
  return (
    <p className="hint">
      {t('workspace.form.queueFull', { count: open })}
      <Suspended />
      {seconds !== null && ` ${t('workspace.form.nextPlace', { time: leftText(seconds, t) })}`}{' '}
      {hasPlans() && <PlansLink onPlans={onPlans} />}
    </p>
  )
}

/** Says why a paid plan has the limits of the Free plan. */
function Suspended() {
  const t = translate()
  const credits = useStore($credits)
  if (!credits?.suspended || !credits.tier) return null
  return ` ${t('workspace.form.suspended', { plan: t(`plans.tier.${credits.tier}.name`) })}`
}

/** Opens the plans without leaving the form; without script, or in a new tab, it leads to the prices. */
function PlansLink({ onPlans }: PlansProps) {
  return (
    <a
      className="link"
      href={localHref('/?section=pricing')}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return
        event.preventDefault()
        onPlans()
      }}
    >
      {translate()('workspace.form.plans')}
    </a>
  )
}
