import { useEffect, useState } from 'react'
import type { User } from '#backend/accounts/contract.ts'
import type { Invoice } from '#backend/subscriptions/contract.ts'
import { loadBalance } from '../../api/credits.ts'
import { displayName } from '../../api/hint.ts'
import { requireMember } from '../../api/session.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { HTML_LANG } from '../../i18n/core.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { findInvoice, methodText, soldText } from './invoices.ts'

type State =
  | { readonly kind: 'loading' | 'missing' | 'failed' }
  | { readonly kind: 'ready'; readonly invoice: Invoice; readonly user: User }

async function load(): Promise<State> {
  const user = await requireMember()
  if (!user) return { kind: 'loading' }
  // Not awaited, because only the header shows the balance.
  void loadBalance()
  const id = new URLSearchParams(location.search).get('id')
  const invoice = id ? await findInvoice(id) : undefined
  return invoice ? { kind: 'ready', invoice, user } : { kind: 'missing' }
}

/** Shows an invoice in its printable form. */
export function InvoicePaper() {
  const t = translate()
  const [state, setState] = useState<State>({ kind: 'loading' })
  const open = () => {
    setState({ kind: 'loading' })
    load().then(setState, () => setState({ kind: 'failed' }))
  }
  useEffect(open, [])
  return (
    <>
      <div className="row row-wide spread invoice-actions">
        <LinkButton label={t('billing.paper.back')} variant="quiet" to="/profile/billing" />
        {state.kind === 'ready' && (
          <div className="row">
            <LinkButton label={t('billing.paper.spent')} variant="quiet" to="/profile/credits" />
            {[...(state.invoice.pdf ? [state.invoice] : []), ...state.invoice.corrections].map(({ number, pdf }) => (
              <a className="button button-outline" href={pdf!} key={number}>
                <Icon name="download" />
                {t('billing.paper.pdf', { number })}
              </a>
            ))}
            <Button label={t('billing.paper.print')} variant="primary" icon="print" onClick={() => print()} />
          </div>
        )}
      </div>
      {state.kind === 'loading' && (
        <>
          <LongWait />
          <div className="skeleton invoice-skeleton" aria-busy="true" />
        </>
      )}
      {(state.kind === 'missing' || state.kind === 'failed') && (
        <div className="card empty centered stack gap-3" role="alert">
          <h1>{t('billing.invoice')}</h1>
          <p>{t(`billing.paper.${state.kind}`)}</p>
          {state.kind === 'failed' && <Button label={t('common.action.retry')} icon="refresh" onClick={open} />}
        </div>
      )}
      {state.kind === 'ready' && <Paper invoice={state.invoice} user={state.user} />}
    </>
  )
}

function Paper({ invoice, user }: { invoice: Invoice; user: User }) {
  const t = translate()
  const facts = [
    ...(invoice.pdf ? [[t('billing.paper.number'), invoice.number] as const] : []),
    [t('billing.paper.payment'), invoice.payment],
    [t('billing.paper.paidAt'), dayText(invoice.paid_at)],
    [t('billing.method'), methodText(invoice)],
    [t('billing.status'), t(`billing.statusOf.${invoice.status}`)],
    [t('billing.paper.from'), `${t('common.brand')} · ${location.host}`],
  ] as const
  return (
    <article className="card invoice stack" aria-labelledby="invoice-heading">
      <header className="row spread">
        <div>
          <h1 id="invoice-heading">{t('billing.invoice')}</h1>
          <p className="invoice-brand">{t('common.brand')}</p>
        </div>
        {/* An issued invoice says who the buyer was then. */}
        {!invoice.pdf && (
          <div className="invoice-to anywhere">
            <p className="hint">{t('billing.paper.billedTo')}</p>
            <p>
              <strong>{displayName(user)}</strong>
            </p>
            <p>{user.email}</p>
          </div>
        )}
      </header>
      <Facts className="invoice-facts" facts={facts} />
      <Sums invoice={invoice} />
    </article>
  )
}

function Sums({ invoice }: { invoice: Invoice }) {
  const t = translate()
  const locale = pageLocale()
  const amount = (cents: number) => money(cents, invoice.currency, locale)
  const plan = invoice.tier ? t('billing.paper.plan', { plan: soldText(invoice) }) : soldText(invoice)
  const credits = t('billing.paper.credits', { credits: invoice.credits.toLocaleString(HTML_LANG[locale]) })
  return (
    <table className="table invoice-sums">
      <thead>
        <tr>
          <th scope="col">{t('billing.paper.item')}</th>
          <th scope="col" className="number">
            {t('billing.amount')}
          </th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>
            <strong>{plan}</strong>
            <span className="hint">{credits}</span>
            {invoice.tier && (
              <span className="hint">
                {t('billing.paper.period')} {dayText(invoice.period_start)} – {dayText(invoice.period_end)}
              </span>
            )}
          </td>
          <td className="number">{amount(invoice.amount)}</td>
        </tr>
      </tbody>
      <tfoot>
        {invoice.refunded > 0 && (
          <tr>
            <th scope="row">{t('billing.paper.refunded')}</th>
            <td className="number">{amount(-invoice.refunded)}</td>
          </tr>
        )}
        <tr>
          <th scope="row">{t(invoice.refunded > 0 ? 'billing.paper.net' : 'billing.paper.total')}</th>
          <td className="number">
            <strong>{amount(invoice.amount - invoice.refunded)}</strong>
          </td>
        </tr>
      </tfoot>
    </table>
  )
}
