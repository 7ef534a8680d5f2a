import { eventText, momentText, type Receipt } from '../api/receipts.ts'
import { localHref, translate } from '../i18n/client.ts'
import { Icon } from './Icon.tsx'
import './styles/receiptLife.css'

/** The life of one charge, event by event, and how much of it is proven. */
export function ReceiptLife({ document: { receipt, proofs, checkpoint } }: { readonly document: Receipt }) {
  const t = translate()
  const proven = proofs.filter(Boolean).length
  const total = receipt.events.length
  const ledger = checkpoint?.checkpoint
  return (
    <div className="stack receipt-life">
      <p className="receipt-outcome" data-outcome={receipt.outcome}>
        <Icon name="receipt" />
        <strong>{t(`receipt.outcome.${receipt.outcome}`, { credits: receipt.credits })}</strong>
      </p>
      <ol className="receipt-events">
        {receipt.events.map((event, index) => (
          <li key={event.hash} data-proven={proofs[index] ? '' : undefined}>
            <span>{eventText(event)}</span>
            <time className="hint" dateTime={event.at}>
              {momentText(event.at)}
            </time>
            <code className="hint receipt-hash" title={event.hash}>
              {event.hash.slice(0, 12)}
            </code>
          </li>
        ))}
      </ol>
      <p className="hint">
        {ledger
          ? t('receipt.proven', { proven, total, time: momentText(ledger.createdAt), size: ledger.size })
          : t('receipt.unchecked')}
        {ledger && proven < total && ` ${t('receipt.pending')}`}
      </p>
      <p>
        <a className="link" href={localHref('/verify')}>
          {t('receipt.how')}
        </a>
      </p>
    </div>
  )
}
