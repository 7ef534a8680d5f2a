import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect } from 'react'
import type { Plan } from '../../api/subscription.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { $paymentReturn, openPaymentReturn } from './paymentReturn.ts'

/** Where the payment provider sends the buyer back to: says how it went, and goes on by itself. */
export function PaymentSuccess() {
  const t = translate()
  const state = useStore($paymentReturn)
  useEffect(() => void openPaymentReturn(), [])
  if (state.kind === 'away') return null
  return (
    <div className="outcome" aria-live="polite" aria-busy={state.kind === 'checking'}>
      {state.kind === 'checking' && (
        <Said tone="info" icon="spinner" heading={t('payment.checkingHeading')}>
          <p className="muted">{t('payment.checkingText')}</p>
        </Said>
      )}
      {state.kind === 'done' && <Done plan={state.plan} />}
      {state.kind === 'failed' && (
        <Said tone="danger" icon="alert" heading={t('payment.failedHeading')}>
          <p>{t('payment.processingFailed')}</p>
          <p className="muted">{t('payment.failedText')}</p>
          <a className="button button-primary button-wide" href={localHref('/profile#subscription')}>
            {t('payment.toSubscription')}
          </a>
        </Said>
      )}
    </div>
  )
}

/** The payment went through; the plan may still have to wait for it, or for its first day. */
function Done({ plan: { stats, current } }: { plan: Plan }) {
  const t = translate()
  const name = (tier: typeof stats.current_tier) => t(`plans.tier.${tier}.name`)
  const waits = stats.current_tier === 'free'
  const end = current?.current_period_end
  const credits = stats.remaining_credits.toLocaleString(HTML_LANG[pageLocale()])
  return (
    <Said tone="success" icon="checkRound" heading={t(waits ? 'payment.pendingHeading' : 'payment.doneHeading')}>
      <p>{waits ? t('payment.pendingText') : t('payment.doneText', { plan: name(stats.current_tier), credits })}</p>
      {current?.next_tier && end && (
        <p>{t('payment.laterText', { plan: name(current.next_tier), date: dayText(end, pageLocale()) })}</p>
      )}
      <p className="muted">{t('payment.goingOn')}</p>
      <a className="button button-primary button-wide" href={localHref('/workspace')}>
        {t('payment.toWorkspace')}
      </a>
    </Said>
  )
}

interface SaidProps {
  readonly tone: 'info' | 'success' | 'danger'
  readonly icon: IconName | 'spinner'
  readonly heading: string
  readonly children: ReactNode
}

function Said({ tone, icon, heading, children }: SaidProps) {
  return (
    <>
      <span className="outcome-icon" data-tone={tone}>
        {icon === 'spinner' ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      </span>
      <h1>{heading}</h1>
      {children}
    </>
  )
}
