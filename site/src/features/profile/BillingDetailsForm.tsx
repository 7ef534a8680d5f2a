import { useStore } from '@nanostores/react'
import { useId } from 'react'
import { BillingDetails } from '#backend/invoices/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Fault, Field } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useForm } from '../../ui/useForm.ts'
import { $billingDetails, loadBillingDetails, saveDetails } from './invoices.ts'

/** Edits what invoices say about the buyer. */
export function BillingDetailsForm() {
  const t = translate()
  const details = useStore($billingDetails)
  return (
    <div className="stack stack-wide card profile-card" id="billing-details">
      <h3>{t('billing.details.heading')}</h3>
      <p className="muted">{t('billing.details.lead')}</p>
      {details === null && <div className="skeleton rows-skeleton" aria-busy="true" />}
      {details === 'failed' && (
        <RetryNotice tone="danger" text={t('billing.details.failed')} onRetry={loadBillingDetails} />
      )}
      {details !== null && details !== 'failed' && <Fields details={details} />}
    </div>
  )
}

function Fields({ details }: { details: BillingDetails }) {
  const t = translate()
  const id = useId()
  const { form, field, problem, busy, ready } = useForm(BillingDetails, async (value) => {
    await saveDetails(value)
    showToast('success', t('billing.details.saved'))
  })
  const { fault, ...address } = field('address')
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem, t('billing.details.failed'))} />
      <Field
        label={t('billing.details.name')}
        autoComplete="billing name"
        defaultValue={details.name}
        {...field('name')}
      />
      <div className="stack field">
        <label htmlFor={id}>{t('billing.details.address')}</label>
        <textarea
          className="input"
          id={id}
          rows={3}
          autoComplete="billing street-address"
          defaultValue={details.address}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault && `${id}-fault`}
          {...address}
        />
        {fault && <Fault id={`${id}-fault`} text={fault} />}
      </div>
      <Field
        label={t('billing.details.country')}
        autoComplete="billing country-name"
        defaultValue={details.country}
        {...field('country')}
      />
      <Field
        label={t('billing.details.vatId')}
        hint={t('billing.details.vatIdHint')}
        defaultValue={details.vat_id}
        {...field('vat_id')}
      />
      <Button label={t('profile.save')} type="submit" variant="outline" busy={busy} disabled={!ready} />
    </form>
  )
}
