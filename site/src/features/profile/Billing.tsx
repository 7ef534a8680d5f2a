import { useStore } from '@nanostores/react'
import { type Invoice, PLANS } from '#backend/subscriptions/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { $plan, type Plan } from '../../api/subscription.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { Icon } from '../../ui/Icon.tsx'
import { invoiceList } from './invoices.ts'
import { PagedSection } from './PagedSection.tsx'

export const INVOICE_TONES = { paid: 'success', partially_refunded: 'warning', refunded: 'info' } as const

/** What was paid, and what will be. */
export function Billing() {
  const t = translate()
  const plan = useStore($plan)
  return (
    <section className="profile-section" id="billing" aria-labelledby="billing-heading">
      <h2 id="billing-heading">{t('billing.heading')}</h2>
      <div className="card profile-card">
        <dl className="billing-next">
          <dt>{t('billing.next')}</dt>
          <dd>{plan ? nextText(plan) : <span className="skeleton line-skeleton" />}</dd>
        </dl>
        <h3>{t('billing.history')}</h3>
        <PagedSection
          list={invoiceList}
          label={t('billing.history')}
          shown={(place) => t('billing.shown', place)}
          failure={(error) => errorText(error, t('billing.failed'))}
          skeleton={<div className="skeleton rows-skeleton" />}
          empty={<Empty />}
        >
          {(invoices) => <Invoices invoices={invoices} />}
        </PagedSection>
      </div>
    </section>
  )
}

/** The next charge: of the plan that takes over, where one does. */
function nextText({ stats, current }: Plan): string {
  const t = translate()
  const end = current?.current_period_end
  const goesOn = stats.current_status === 'active' || stats.current_status === 'trial' || current?.next_tier
  if (!current || !end || !goesOn || (current.cancel_at_period_end && !current.next_tier)) return t('billing.nextNone')
  const cents = current.next_tier ? PLANS[current.next_tier].priceCents : current.price_monthly
  const amount = money(cents, current.currency, pageLocale())
  return t('billing.nextAt', { amount, date: dayText(end, pageLocale()) })
}

function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const t = translate()
  return (
    <table className="records">
      <thead>
        <tr>
          <th scope="col">{t('billing.invoice')}</th>
          <th scope="col">{t('billing.date')}</th>
          <th scope="col">{t('billing.method')}</th>
          <th scope="col">{t('billing.status')}</th>
          <th scope="col" className="records-number">
            {t('billing.amount')}
          </th>
          <th scope="col">
            <span className="sr-only">{t('billing.open')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {invoices.map((invoice) => (
          <Row key={invoice.id} invoice={invoice} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ invoice }: { invoice: Invoice }) {
  const t = translate()
  const date = dayText(invoice.paid_at, pageLocale(), 'medium')
  return (
    <tr>
      <th scope="row">{t(`plans.tier.${invoice.tier}.name`)}</th>
      <td>{date}</td>
      <td className="records-aside">{t(`billing.${invoice.payment_method}`)}</td>
      <td>
        <span className="badge" data-tone={INVOICE_TONES[invoice.status]}>
          {t(`billing.statusOf.${invoice.status}`)}
        </span>
      </td>
      <td className="records-number records-amount">{money(invoice.amount, invoice.currency, pageLocale())}</td>
      <td className="records-action records-aside">
        <a
          className="button button-quiet"
          href={localHref(`/profile/invoice?id=${encodeURIComponent(invoice.id)}`)}
          aria-label={t('billing.openOf', { date })}
        >
          <Icon name="receipt" />
          {t('billing.open')}
        </a>
      </td>
    </tr>
  )
}

function Empty() {
  const t = translate()
  return (
    <div className="empty">
      <p className="empty-title">{t('billing.emptyTitle')}</p>
      <p>{t('billing.emptyText')}</p>
      <a className="button button-outline" href={localHref('/?section=pricing')}>
        {t('billing.plans')}
      </a>
    </div>
  )
}
