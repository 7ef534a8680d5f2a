import { type RefObject, useId, useRef, useState } from 'react'
import { cancelPlan } from '../../api/plans/subscription.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
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
  /** Credits that ending the plan now forfeits, and whether a refund is proposed then; null if that cannot be chosen. */
  readonly now: { readonly credits: number; readonly refundable: boolean } | null
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

function endText({ endsAt, isFinal }: Pick<CancelPlanProps, 'endsAt' | 'isFinal'>): string {
  const t = translate()
  if (endsAt === 'now') return t('subscription.cancel.textNow')
  if (!endsAt) return t('subscription.cancel.textUndated')
  return t(isFinal ? 'subscription.cancel.textFinal' : 'subscription.cancel.text', { date: dayText(endsAt) })
}

function Question({ endsAt, isFinal, now, reason, onClose, onDone }: QuestionProps) {
  const t = translate()
  const id = useId()
  const [busy, run] = useBusy()
  const [isNow, setNow] = useState(false)
  const confirm = () => run(async () => onDone(await cancelPlan(reason.current, isNow)))
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
      {now ? <When endsAt={endsAt} {...now} isNow={isNow} onChange={setNow} /> : <p>{endText({ endsAt, isFinal })}</p>}
      <div className="cancel-loss">
        <p>{t(isNow || endsAt === 'now' ? 'subscription.cancel.loseNow' : 'subscription.cancel.lose')}</p>
        <ul>
          <li>
            {t(isNow && now?.refundable ? 'subscription.cancel.loseCreditsNow' : 'subscription.cancel.loseCredits')}
          </li>
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

interface WhenProps {
  readonly endsAt: CancelPlanProps['endsAt']
  readonly credits: number
  readonly refundable: boolean
  readonly isNow: boolean
  readonly onChange: (isNow: boolean) => void
}

/** Lets the user choose when the plan ends, and says what becomes of its credits. */
function When({ endsAt, credits, refundable, isNow, onChange }: WhenProps) {
  const t = translate()
  const name = useId()
  const values = { credits: credits.toLocaleString(HTML_LANG[pageLocale()]) }
  return (
    <fieldset className="stack cancel-when">
      <legend>{t('subscription.cancel.when')}</legend>
      {[false, true].map((value) => (
        <label className="line" key={String(value)}>
          <input type="radio" name={name} checked={isNow === value} onChange={() => onChange(value)} />
          <span>
            {value ? (
              t('subscription.cancel.now', values)
            ) : (
              <>
                {endText({ endsAt, isFinal: false })}
                <br />
                {t('subscription.cancel.keepUntil', values)}
              </>
            )}
          </span>
        </label>
      ))}
      {isNow && (
        <Notice tone="warning">
          {t(refundable ? 'subscription.cancel.refundable' : 'subscription.cancel.noRefund')}
        </Notice>
      )}
    </fieldset>
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
