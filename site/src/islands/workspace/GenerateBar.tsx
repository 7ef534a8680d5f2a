import { useStore } from '@nanostores/react'
import { translate } from '../../i18n/client.ts'
import { $credits } from '../../stores/credits.ts'
import { $firstFrame } from '../../stores/firstFrame.ts'
import { $cost, $generation, $short } from '../../stores/generation.ts'
import { $submitting } from '../../stores/submission.ts'
import { Button } from '../../ui/Button.tsx'
import { Fault } from '../../ui/Field.tsx'

/** The button with its price, and why it cannot be pressed. */
export function GenerateBar() {
  const t = translate()
  const cost = useStore($cost)
  const short = useStore($short)
  const credits = useStore($credits)
  const submitting = useStore($submitting)
  const { taskType } = useStore($generation)
  const uploading = useStore($firstFrame).status === 'uploading' && taskType === 'image_to_video'
  return (
    <div className="generate-bar">
      {short && (
        <div role="alert" id="generate-fault">
          <Fault id="generate-short" text={t('errors.insufficient_credits')} />
          <p className="hint">{t('workspace.form.short', { cost, remaining: credits?.remaining ?? 0 })}</p>
        </div>
      )}
      {!short && uploading && (
        <p className="hint" id="generate-fault">
          {t('workspace.form.uploadFirst')}
        </p>
      )}
      <Button
        type="submit"
        look="primary"
        size="large"
        wide
        icon="spark"
        busy={submitting}
        disabled={short || uploading}
        aria-describedby={short || uploading ? 'generate-fault' : undefined}
      >
        <span>{t(submitting ? 'workspace.form.generating' : 'workspace.form.generate')}</span>
        <span className="generate-cost">{t('workspace.form.cost', { count: cost })}</span>
      </Button>
    </div>
  )
}
