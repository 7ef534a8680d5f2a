import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import type { Plan } from '../../api/plans/subscription.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { $paymentReturn, openPaymentReturn } from './paymentReturn.ts'

/** Shows the payment result after the return from the provider, until the page redirects. */
export function PaymentSuccess() {
  const t = translate()
  const state = useStore($paymentReturn)
  useEffect(() => void openPaymentReturn(), [])
  if (state.kind === 'away') return null
  return (
    <div aria-live="polite" aria-busy={state.kind === 'checking'}>
      {state.kind === 'checking' && (
        <Outcome tone="info" icon="spinner" heading={t('payment.checkingHeading')}>
          <p className="muted">{t('payment.checkingText')}</p>
        </Outcome>
      )}
      {state.kind === 'done' && <Done plan={state.plan} />}
      {state.kind === 'failed' && (
        <Outcome tone="danger" icon="alert" heading={t('payment.failedHeading')}>
          <p>{t('payment.processingFailed')}</p>
          <p className="muted">{t('payment.failedText')}</p>
          <LinkButton
            label={t('payment.toSubscription')}
            variant="primary"
            wide
            href={localHref('/profile#subscription')}
          />
        </Outcome>
      )}
    </div>
  )
}

/** Shows a successful payment. The plan may still be pending or start with the next billing period. */
function Done({ plan: { stats, current } }: { plan: Plan }) {
  const t = translate()
  const name = (tier: typeof stats.current_tier) => t(`plans.tier.${tier}.name`)
  const pending = stats.current_tier === 'free'
  const end = current?.current_period_end
  const credits = stats.remaining_credits.toLocaleString(HTML_LANG[pageLocale()])
  return (
    <Outcome tone="success" icon="checkRound" heading={t(pending ? 'payment.pendingHeading' : 'payment.doneHeading')}>
      <p>{pending ? t('payment.pendingText') : t('payment.doneText', { plan: name(stats.current_tier), credits })}</p>
      {current?.next_tier && end && (
        <p>{t('payment.laterText', { plan: name(current.next_tier), date: dayText(end) })}</p>
      )}
      <p className="muted">{t('payment.goingOn')}</p>
      <LinkButton label={t('payment.toWorkspace')} variant="primary" wide href={localHref('/workspace')} />
    </Outcome>
  )
}
