import { useState } from 'react'
import type { Invoice } from '#backend/subscriptions/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { pageLocale, translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { money } from '../../i18n/money.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { soldText, withdraw } from './invoices.ts'

/** Lists the payments whose contracts the buyer can withdraw from, with the two steps of the withdrawal. */
export function Withdraw({ invoices }: { invoices: readonly Invoice[] }) {
  const t = translate()
  const [chosen, setChosen] = useState<Invoice | null>(null)
  const open = invoices.filter(({ withdrawable_until }) => withdrawable_until !== null)
  if (open.length === 0) return null
  return (
    <div className="stack stack-wide card profile-card" id="withdraw">
      <h3>{t('billing.withdraw.heading')}</h3>
      <p className="muted">{t('billing.withdraw.lead')}</p>
      <ul className="stack gap-3">
        {open.map((invoice) => (
          <li className="row row-wide spread" key={invoice.id}>
            <div>
              {summaryOf(invoice)}
              <p className="hint">{t('billing.withdraw.until', { date: dayText(invoice.withdrawable_until!) })}</p>
            </div>
            <Button label={t('billing.withdraw.open')} variant="outline" onClick={() => setChosen(invoice)} />
          </li>
        ))}
      </ul>
      {chosen && <Statement invoice={chosen} onClose={() => setChosen(null)} />}
    </div>
  )
}

const summaryOf = (invoice: Invoice) =>
  [soldText(invoice), dayText(invoice.paid_at, 'medium'), money(invoice.amount, invoice.currency, pageLocale())].join(
    ' · ',
  )

/** The statement of the buyer, which the button sends. */
function Statement({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const t = translate()
  const [busy, run] = useBusy()
  const [failure, setFailure] = useState<string>()
  const confirm = () =>
    run(() =>
      withdraw(invoice).then(onClose, (error: unknown) => setFailure(errorText(error, t('billing.withdraw.failed')))),
    )
  const foot = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {t('common.action.cancel')}
      </Button>
      <Button label={t('billing.withdraw.confirm')} variant="danger" busy={busy} onClick={confirm} />
    </>
  )
  const facts = [
    [t('billing.paper.item'), soldText(invoice)],
    [t('billing.paper.payment'), invoice.payment],
    [t('billing.paper.paidAt'), dayText(invoice.paid_at)],
    [t('billing.amount'), money(invoice.amount, invoice.currency, pageLocale())],
  ] as const
  return (
    <Dialog title={t('billing.withdraw.title')} busy={busy} onClose={onClose} foot={foot}>
      <p>{t('billing.withdraw.statement')}</p>
      <Facts className="profile-facts" facts={facts} />
      <p className="muted">{t(invoice.tier ? 'billing.withdraw.effectPlan' : 'billing.withdraw.effect')}</p>
      {failure && <Notice tone="danger">{failure}</Notice>}
    </Dialog>
  )
}
