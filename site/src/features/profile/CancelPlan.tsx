import { type RefObject, useId, useRef, useState } from 'react'
import { cancelPlan } from '../../api/plans/subscription.ts'
import { translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useBusy } from '../../ui/useBusy.ts'

const REASON_MAX = 500
type Step = { readonly kind: 'asking' } | { readonly kind: 'failed'; readonly text: string } | null

interface CancelPlanProps {
  /** When the plan would end: `now` if nothing pays for it any more; null if that is not known. */
  readonly endsAt: string | 'now' | null
  /** Whether only the next plan is cancelled: this one has ended at the payment provider. */
  readonly isFinal: boolean
}

/** Cancels a paid plan after a confirmation dialog. A failure opens a second dialog. */
export function CancelPlan(plan: CancelPlanProps) {
  const t = translate()
  const [step, setStep] = useState<Step>(null)
  /** What the user wrote, for the next attempt after a failure. */
  const reason = useRef('')
  const close = () => setStep(null)
  return (
    <>
      <Button label={t('subscription.cancel.open')} variant="outline" onClick={() => setStep({ kind: 'asking' })} />
      {step?.kind === 'asking' && (
        <Question
          key="question"
          {...plan}
          reason={reason}
          onClose={close}
          onDone={(failure) => (failure === undefined ? close() : setStep({ kind: 'failed', text: failure }))}
        />
      )}
      {step?.kind === 'failed' && (
        <Failure key="failure" text={step.text} onClose={close} onAgain={() => setStep({ kind: 'asking' })} />
      )}
    </>
  )
}

interface QuestionProps extends CancelPlanProps {
  readonly reason: RefObject<string>
  readonly onClose: () => void
  readonly onDone: (failure: string | undefined) => void
}

function endText({ endsAt, isFinal }: CancelPlanProps): string {
  const t = translate()
  if (endsAt === 'now') return t('subscription.cancel.textNow')
  if (!endsAt) return t('subscription.cancel.textUndated')
  return t(isFinal ? 'subscription.cancel.textFinal' : 'subscription.cancel.text', { date: dayText(endsAt) })
}

function Question({ endsAt, isFinal, reason, onClose, onDone }: QuestionProps) {
  const t = translate()
  const id = useId()
  const [busy, run] = useBusy()
  const confirm = () => run(async () => onDone(await cancelPlan(reason.current)))
  const foot = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {t('subscription.cancel.keep')}
      </Button>
      <Button label={t('subscription.cancel.confirm')} variant="danger" busy={busy} onClick={confirm} />
    </>
  )
  return (
    <Dialog title={t('subscription.cancel.title')} busy={busy} onClose={onClose} foot={foot}>
      <p>{endText({ endsAt, isFinal })}</p>
      <div className="cancel-loss">
        <p>{t(endsAt === 'now' ? 'subscription.cancel.loseNow' : 'subscription.cancel.lose')}</p>
        <ul>
          <li>{t('subscription.cancel.loseCredits')}</li>
          <li>{t('subscription.cancel.loseWatermark')}</li>
          <li>{t('subscription.cancel.losePriority')}</li>
        </ul>
      </div>
      <div className="stack field">
        <label htmlFor={id}>{t('subscription.cancel.reason')}</label>
        <textarea
          className="input"
          id={id}
          defaultValue={reason.current}
          maxLength={REASON_MAX}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            reason.current = event.currentTarget.value.trim()
          }}
        />
        <p className="hint" id={`${id}-hint`}>
          {t('subscription.cancel.reasonHint')}
        </p>
      </div>
    </Dialog>
  )
}

function Failure({ text, onClose, onAgain }: { text: string; onClose: () => void; onAgain: () => void }) {
  const t = translate()
  const foot = (
    <>
      <Button onClick={onClose}>{t('common.action.close')}</Button>
      <Button label={t('subscription.cancel.again')} variant="primary" onClick={onAgain} />
    </>
  )
  return (
    <Dialog title={t('subscription.cancel.failedTitle')} onClose={onClose} foot={foot}>
      <Notice tone="danger">{text}</Notice>
    </Dialog>
  )
}
