import { useStore } from '@nanostores/react'
import { openTaskLimit } from '#backend/subscriptions/contract.ts'
import { $credits } from '../../api/credits.ts'
import { hasPlans } from '../../api/installation.ts'
import { isFinal } from '../../api/taskProgress.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { Button } from '../../ui/Button.tsx'
import { Fault } from '../../ui/Field.tsx'
import { $uploading } from './frames/frames.ts'
import { $cost, $generation, $needsPlan, $short } from './generation.ts'
import { $submitting } from './submission.ts'
import { $tasks } from './tasks.ts'

/** Submit button with the price in credits, and the reason if it is disabled. */
export function GenerateBar() {
  const t = translate()
  const cost = useStore($cost)
  const submitting = useStore($submitting)
  const { taskType } = useStore($generation)
  const short = useStore($short)
  const needsPlan = useStore($needsPlan)
  const uploads = useStore($uploading)
  const uploading = uploads.references || (uploads.frames && taskType === 'image_to_video')
  const locked = short || needsPlan
  const disabled = locked || uploading
  return (
    <div className="stack generate-bar">
      <div id="generate-note" role="status">
        {locked ? <Locked /> : uploading ? <p className="hint">{t('workspace.form.uploadFirst')}</p> : <QueueFull />}
      </div>
      <Button
        type="submit"
        variant="primary"
        size="large"
        wide
        icon="spark"
        busy={submitting}
        disabled={disabled}
        aria-describedby={disabled ? 'generate-note' : undefined}
      >
        <span>{t(submitting ? 'workspace.form.generating' : 'workspace.form.generate')}</span>
        <span className="generate-cost">{t('workspace.form.cost', { count: cost })}</span>
      </Button>
    </div>
  )
}

/** Explains which plan or how many credits the video requires. */
function Locked() {
  const t = translate()
  const cost = useStore($cost)
  const { resolution } = useStore($generation)
  const short = useStore($short)
  const credits = useStore($credits)
  const isSpent = credits?.tier === 'free' && credits.remaining === 0
  if (short && !hasPlans()) return <LockedWithoutPlans cost={cost} />
  const more = isSpent
    ? t('workspace.form.spent')
    : t('workspace.form.short', { cost, remaining: credits?.remaining ?? 0 })
  return (
    <div className="stack generate-locked">
      <Fault id="generate-fault" text={t(short ? 'errors.insufficient_credits' : 'errors.plan_required')} />
      <p className="hint">
        {short ? more : t('workspace.excluded.resolutionPlan', { resolution })}{' '}
        <a className="link" href={localHref('/?section=pricing')}>
          {t('workspace.form.plans')}
        </a>
      </p>
    </div>
  )
}

/** Says when the next credits come, where no plan can be bought. */
function LockedWithoutPlans({ cost }: { cost: number }) {
  const t = translate()
  const credits = useStore($credits)
  return (
    <div className="stack generate-locked">
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

/** Warns that the user has reached the plan's limit of open tasks. */
function QueueFull() {
  const t = translate()
  const tier = useStore($credits)?.tier
  const open = useStore($tasks).tasks.filter((task) => !isFinal(task)).length
  if (!tier || open < openTaskLimit(tier)) return null
  return <p className="hint">{t('workspace.form.queueFull', { count: open })}</p>
}
