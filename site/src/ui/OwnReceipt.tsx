import { useCallback, useEffect, useState } from 'react'
import { ApiError } from '../api/apiError.ts'
import { type Receipt, readReceipt, receiptAddress } from '../api/receipts.ts'
import { translate } from '../i18n/client.ts'
import { Icon } from './Icon.tsx'
import { ReceiptLife } from './ReceiptLife.tsx'
import { RetryNotice } from './RetryNotice.tsx'

/** The receipt of a film of the user, with its download. */
export function OwnReceipt({ taskId }: { readonly taskId: string }) {
  const t = translate()
  const [receipt, setReceipt] = useState<Receipt | 'none' | 'failed'>()
  const load = useCallback(
    () =>
      readReceipt(taskId).then(setReceipt, (error) =>
        setReceipt(error instanceof ApiError && error.status === 404 ? 'none' : 'failed'),
      ),
    [taskId],
  )
  useEffect(() => void load(), [load])
  if (!receipt) return <p className="muted">{t('receipt.loading')}</p>
  if (receipt === 'none') return <p className="muted">{t('receipt.none')}</p>
  if (receipt === 'failed') return <RetryNotice tone="danger" text={t('receipt.failed')} onRetry={load} />
  return (
    <div className="stack">
      <ReceiptLife document={receipt} />
      <p>
        <a
          className="button button-quiet"
          href={receiptAddress(taskId)}
          download={`kinora-receipt-${taskId.slice(0, 8)}.json`}
        >
          <Icon name="download" />
          {t('receipt.download')}
        </a>
      </p>
    </div>
  )
}
