import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import type { Tier } from '#backend/subscriptions/contract.ts'
import type { Plan } from '../../api/plans/subscription.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { $paymentReturn, openPaymentReturn, type PaymentReturn, type Stage } from './paymentReturn.ts'

/** Shows the payment result after the return from the provider, until the page redirects. */
export function PaymentSuccess() {
  const t = translate()
  const state = useStore($paymentReturn)
  useEffect(() => void openPaymentReturn(), [])
  if (state.kind === 'away') return null
  return (
    <>
      {state.kind === 'checking' && <LongWait />}
      <div aria-live="polite" aria-busy={state.kind === 'checking'}>
        {state.kind === 'checking' && (
          <Outcome tone="info" icon="spinner" heading={t('payment.checkingHeading')}>
            <p className="muted">{t('payment.checkingText')}</p>
          </Outcome>
        )}
        {state.kind === 'done' && <Done {...state} />}
        {state.kind === 'failed' && (
          <Outcome tone="danger" icon="alert" heading={t('payment.failedHeading')}>
            <p>{t('payment.processingFailed')}</p>
            <p className="muted">{t('payment.failedText')}</p>
            <LinkButton label={t('payment.toSubscription')} variant="primary" wide to="/profile#subscription" />
          </Outcome>
        )}
      </div>
    </>
  )
}

/** Stages in which nothing was paid. */
const UNPAID: readonly Stage[] = ['none', 'unapproved', 'ended', 'unpaid']

/** Shows a confirmed plan, which may still be pending or start with the next billing period, or that there is none. */
function Done({ plan, stage }: Extract<PaymentReturn, { kind: 'done' }>) {
  const t = translate()
  return (
    <Outcome
      tone={UNPAID.includes(stage) ? 'info' : 'success'}
      icon={UNPAID.includes(stage) ? 'info' : 'checkRound'}
      heading={t(`payment.${stage}Heading`)}
    >
      <p>{stage === 'later' ? laterText(plan) : stage === 'done' ? doneText(plan) : t(`payment.${stage}Text`)}</p>
      {UNPAID.includes(stage) && <p>{doneText(plan)}</p>}
      <p className="muted">{t('payment.goingOn')}</p>
      <LinkButton label={t('payment.toWorkspace')} variant="primary" wide to="/workspace" />
    </Outcome>
  )
}

const nameOf = (tier: Tier) => translate()(`plans.tier.${tier}.name`)

function laterText({ current }: Plan): string | undefined {
  const { next_tier: next, current_period_end: start } = current ?? {}
  return next && start ? translate()('payment.laterText', { plan: nameOf(next), date: dayText(start) }) : undefined
}

function doneText({ stats }: Plan): string {
  const credits = stats.remaining_credits.toLocaleString(HTML_LANG[pageLocale()])
  return translate()('payment.doneText', { plan: nameOf(stats.current_tier), credits })
}
