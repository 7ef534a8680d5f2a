import { useStore } from '@nanostores/react'
import type { ReactNode } from 'react'
import { type Invoice, PLANS } from '#backend/subscriptions/contract.ts'
import { $plan, isRetried, type Plan } from '../../api/plans/subscription.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Table } from '../../ui/Table.tsx'
import { BillingDetailsForm } from './BillingDetailsForm.tsx'
import { invoiceList, methodText, soldText } from './invoices.ts'
import { PagedSection } from './PagedSection.tsx'
import { Withdraw } from './Withdraw.tsx'

const TONES = { paid: 'success', partially_refunded: 'warning', refunded: 'info' } as const

/** Shows the next charge and the invoice history. */
export function Billing() {
  const t = translate()
  const { items } = useStore(invoiceList.$list)
  return (
    <section className="stack stack-wide profile-section" id="billing" aria-labelledby="billing-heading">
      <h2 id="billing-heading">{t('billing.heading')}</h2>
      <div className="stack stack-wide card profile-card">
        <NextPayment />
        <h3>{t('billing.history')}</h3>
        <PagedSection list={invoiceList} label={t('billing.history')} texts="billing" empty={<NoInvoices />}>
          {(invoices) => <Invoices invoices={invoices} />}
        </PagedSection>
      </div>
      <Withdraw invoices={items} />
      <BillingDetailsForm />
    </section>
  )
}

export function NextPayment() {
  const plan = useStore($plan)
  return (
    <dl className="row billing-next">
      <dt className="muted">{translate()('billing.next')}</dt>
      <dd>{plan ? nextText(plan) : <span className="skeleton line-skeleton" />}</dd>
    </dl>
  )
}

/** Describes the next charge, which is for the new plan if a plan change is scheduled. */
function nextText({ stats, current }: Plan): string {
  const t = translate()
  const end = current?.current_period_end
  const continues = stats.current_status === 'active' || stats.current_status === 'trial' || current?.next_tier
  if (!current || !end || !continues || (current.cancel_at_period_end && !current.next_tier))
    return t('billing.nextNone')
  if (isRetried(current)) return t('billing.nextRetry')
  const cents = current.next_tier ? PLANS[current.next_tier].priceCents : current.price_monthly
  const amount = money(cents, current.currency, pageLocale())
  return t('billing.nextAt', { amount, date: dayText(end) })
}

/** Describes an invoice under the headings of the list. */
export function invoiceFacts(invoice: Invoice): readonly (readonly [string, ReactNode])[] {
  const t = translate()
  return [
    [
      t('billing.invoice'),
      <a href={invoiceHref(invoice)} key="invoice">
        {invoice.number}
      </a>,
    ],
    [t('billing.date'), dateOf(invoice)],
    [t('billing.amount'), money(invoice.amount, invoice.currency, pageLocale())],
    [t('billing.method'), methodText(invoice)],
    [t('billing.status'), <Status invoice={invoice} key="status" />],
  ]
}

const dateOf = (invoice: Invoice) => dayText(invoice.paid_at, 'medium')
const openText = (invoice: Invoice) => translate()('billing.openOf', { date: dateOf(invoice) })
const invoiceHref = ({ id }: Invoice) => localHref(`/profile/invoice?id=${encodeURIComponent(id)}`)

function Status({ invoice: { status } }: { invoice: Invoice }) {
  return (
    <span className="badge" data-tone={TONES[status]}>
      {translate()(`billing.statusOf.${status}`)}
    </span>
  )
}

/** What was sold, with its documents. */
function Numbered({ invoice }: { invoice: Invoice }) {
  const t = translate()
  const { number, pdf, corrections } = invoice
  return (
    <>
      {soldText(invoice)}
      {[...(pdf ? [{ kind: 'invoice' as const, number, pdf }] : []), ...corrections].map((document) => (
        <p className="hint" key={document.number}>
          <a href={document.pdf}>{t(`billing.documents.${document.kind}`, { number: document.number })}</a>
        </p>
      ))}
    </>
  )
}

function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const t = translate()
  return (
    <Table
      className="table-lines records"
      rows={invoices}
      keyOf={({ id }) => id}
      columns={[
        { head: t('billing.invoice'), isRowHead: true, cell: (invoice) => <Numbered invoice={invoice} /> },
        { head: t('billing.date'), cell: dateOf },
        {
          head: t('billing.method'),
          className: 'records-aside',
          cell: methodText,
        },
        {
          head: t('billing.status'),
          cell: (invoice) => <Status invoice={invoice} />,
        },
        {
          head: t('billing.amount'),
          className: 'number records-amount',
          cell: ({ amount, currency }) => money(amount, currency, pageLocale()),
        },
        {
          head: t('billing.open'),
          headShown: '',
          className: 'records-action records-aside',
          cell: (invoice) => (
            <a className="button button-quiet" href={invoiceHref(invoice)} aria-label={openText(invoice)}>
              <Icon name="receipt" />
              {t('billing.open')}
            </a>
          ),
        },
      ]}
    />
  )
}

function NoInvoices() {
  const t = translate()
  return (
    <Empty title={<p className="empty-title bold">{t('billing.emptyTitle')}</p>} text={t('billing.emptyText')}>
      <LinkButton label={t('billing.plans')} variant="outline" to="/?section=pricing" />
    </Empty>
  )
}
