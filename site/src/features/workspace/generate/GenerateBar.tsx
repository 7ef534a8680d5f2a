import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { $credits } from '../../../api/credits.ts'
import { readHint } from '../../../api/hint.ts'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { useWide } from '../../../ui/useWide.ts'
import { $cost, $generation, $prompts } from '../generation.ts'
import { cropOf } from '../options/optionRules.ts'
import { $payer } from '../pay/payer.ts'
import { isFilmFirst } from '../stage/filmFirst.ts'
import { $submitting } from '../submission.ts'
import { useLatePart } from '../useLatePart.ts'
import { BarProgress } from './BarProgress.tsx'
import { $blocked } from './blocked.ts'
import { Locked, QueueFull } from './Locked.tsx'
import { PromptLine } from './PromptLine.tsx'
import { TakesStepper } from './TakesStepper.tsx'
import { $count } from './takeCount.ts'
import { $watched } from './watched.ts'

/** Loads the choice who pays, for people in a team. */
function usePay() {
  const [pay, setPay] = useState<typeof import('../pay/PayWith.tsx')>()
  const inTeam = useStore($credits)?.inTeam ?? readHint()?.inTeam ?? false
  useEffect(() => {
    if (inTeam) void import('../pay/PayWith.tsx').then(setPay)
  }, [inTeam])
  return { inTeam, pay }
}

/** Submit button with the price in credits, and the reason if it is disabled. On phones it turns into the progress. */
export function GenerateBar() {
  const t = translate()
  const cost = useStore($cost)
  const count = useStore($count)
  const prompts = useStore($prompts)
  const submitting = useStore($submitting)
  const blocked = useStore($blocked)
  const watched = useStore($watched)
  const wide = useWide()
  const { model, aspectRatio } = useStore($generation)
  const crop = cropOf(
    useStore($models).find(({ id }) => id === model),
    aspectRatio,
  )
  const payer = useStore($payer)
  const { inTeam, pay } = usePay()
  const plans = useLatePart(() => import('./PlanSheet.tsx'))
  // A submission fills the queue before it ends.
  const disabled = blocked !== null && !submitting
  return (
    <>
      <div className="stack generate-bar" data-watching={watched ? '' : undefined} ref={keepFocus}>
        {watched && <BarProgress task={watched} />}
        {!wide && isFilmFirst() && <PromptLine />}
        {inTeam && <div className="pay">{pay && <pay.PayWith />}</div>}
        <div id="generate-note" role="status">
          {blocked === 'locked' && (payer ? pay && <pay.TeamShort /> : <Locked onPlans={plans.open} />)}
          {blocked === 'uploading' && <p className="hint">{t('workspace.form.uploadFirst')}</p>}
          {blocked === 'undrawn' && <p className="hint">{t('reading.little')}</p>}
          {blocked === 'full' && <QueueFull onPlans={plans.open} />}
        </div>
        <div className="line generate-line">
          <TakesStepper />
          <Button
            type="submit"
            variant="primary"
            size="large"
            wide
            icon="spark"
            busy={submitting}
            // Keeps the focus, unlike `disabled`.
            aria-disabled={disabled || undefined}
            aria-describedby={disabled ? 'generate-note' : undefined}
          >
            <span>{t(submitting ? 'workspace.form.generating' : 'workspace.form.generate')}</span>
            <span className="generate-cost">
              {t('workspace.form.cost', { count: cost * count * prompts.length })}
              {crop && ` · ${t('workspace.ratio.price', { ratio: crop })}`}
            </span>
          </Button>
        </div>
      </div>
      {/* Outside the note, which changes when a video ends. */}
      {plans.part && <plans.part.PlanSheet onClose={plans.close} />}
    </>
  )
}
