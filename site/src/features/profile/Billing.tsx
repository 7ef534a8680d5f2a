import { useStore } from '@nanostores/react'
import { type Invoice, PLANS } from '#backend/subscriptions/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { $plan, type Plan } from '../../api/subscription.ts'
import { localHref, pageLocale, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Table } from '../../ui/Table.tsx'
import { invoiceList } from './invoices.ts'
import { PagedSection } from './PagedSection.tsx'

const TONES = { paid: 'success', partially_refunded: 'warning', refunded: 'info' } as const

/** Shows the next charge and the invoice history. */
export function Billing() {
  const t = translate()
  const plan = useStore($plan)
  return (
    <section className="stack stack-wide profile-section" id="billing" aria-labelledby="billing-heading">
      <h2 id="billing-heading">{t('billing.heading')}</h2>
      <div className="stack stack-wide card profile-card">
        <dl className="row billing-next">
          <dt className="muted">{t('billing.next')}</dt>
          <dd>{plan ? nextText(plan) : <span className="skeleton line-skeleton" />}</dd>
        </dl>
        <h3>{t('billing.history')}</h3>
        <PagedSection
          list={invoiceList}
          label={t('billing.history')}
          shown={(place) => t('billing.shown', place)}
          failure={(error) => errorText(error, t('billing.failed'))}
          skeleton={<div className="skeleton rows-skeleton" />}
          empty={<NoInvoices />}
        >
          {(invoices) => <Invoices invoices={invoices} />}
        </PagedSection>
      </div>
    </section>
  )
}

/** Describes the next charge, which is for the new plan if a plan change is scheduled. */
function nextText({ stats, current }: Plan): string {
  const t = translate()
  const end = current?.current_period_end
  const continues = stats.current_status === 'active' || stats.current_status === 'trial' || current?.next_tier
  if (!current || !end || !continues || (current.cancel_at_period_end && !current.next_tier))
    return t('billing.nextNone')
  const cents = current.next_tier ? PLANS[current.next_tier].priceCents : current.price_monthly
  const amount = money(cents, current.currency, pageLocale())
  return t('billing.nextAt', { amount, date: dayText(end) })
}

function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const t = translate()
  const dateOf = (invoice: Invoice) => dayText(invoice.paid_at, 'medium')
  return (
    <Table
      className="table-lines records"
      rows={invoices}
      keyOf={({ id }) => id}
      columns={[
        { head: t('billing.invoice'), isRowHead: true, cell: ({ tier }) => t(`plans.tier.${tier}.name`) },
        { head: t('billing.date'), cell: dateOf },
        {
          head: t('billing.method'),
          className: 'records-aside',
          cell: ({ payment_method }) => t(`billing.${payment_method}`),
        },
        {
          head: t('billing.status'),
          cell: ({ status }) => (
            <span className="badge" data-tone={TONES[status]}>
              {t(`billing.statusOf.${status}`)}
            </span>
          ),
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
            <a
              className="button button-quiet"
              href={localHref(`/profile/invoice?id=${encodeURIComponent(invoice.id)}`)}
              aria-label={t('billing.openOf', { date: dateOf(invoice) })}
            >
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
    <Empty title={<p className="empty-title">{t('billing.emptyTitle')}</p>} text={t('billing.emptyText')}>
      <LinkButton label={t('billing.plans')} variant="outline" href={localHref('/?section=pricing')} />
    </Empty>
  )
}
