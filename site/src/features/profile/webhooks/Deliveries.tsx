import { useEffect, useMemo, useState } from 'react'
import type { WebhookDelivery, WebhookEndpoint } from '#backend/webhooks/contract.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { HTML_LANG } from '../../../i18n/core.ts'
import { Button } from '../../../ui/Button.tsx'
import { Choices } from '../../../ui/Choices.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { PagedSection } from '../PagedSection.tsx'
import { typeName } from './typeName.ts'
import { deliveriesTo, sendAgain, sendFailed } from './webhooks.ts'

const DAYS = { day: 1, week: 7, month: 30 } as const
const TONES = { sent: 'success', waiting: 'warning', failed: 'danger' } as const

interface DeliveriesProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Lists what was sent to an endpoint, and sends it again. */
export function Deliveries({ endpoint, onClose }: DeliveriesProps) {
  const t = translate()
  const list = useMemo(() => deliveriesTo(endpoint), [endpoint])
  const [since, setSince] = useState<keyof typeof DAYS>('day')
  const [busy, run] = useBusy()
  useEffect(() => void list.open(1), [list])
  const afterwards = (send: Promise<void>) => send.then(list.again)
  const options = (['day', 'week', 'month'] as const).map((value) => ({
    value,
    label: t(`webhooks.deliveries.${value}`),
  }))
  return (
    <Dialog title={t('webhooks.deliveries.title', { name: endpoint.name })} size={800} onClose={onClose}>
      <p className="muted">{t('webhooks.deliveries.lead')}</p>
      <PagedSection
        list={list}
        label={t('webhooks.deliveries.pages')}
        texts="webhooks.deliveries"
        empty={
          <Empty
            title={<h3 className="empty-title">{t('webhooks.deliveries.emptyTitle')}</h3>}
            text={t('webhooks.deliveries.emptyText')}
          >
            {null}
          </Empty>
        }
      >
        {(deliveries) => (
          <>
            <ul>
              {deliveries.map((delivery) => (
                <Delivery
                  key={delivery.id}
                  delivery={delivery}
                  onSend={endpoint.enabled ? () => afterwards(sendAgain(endpoint, delivery)) : undefined}
                />
              ))}
            </ul>
            {endpoint.enabled && (
              <div className="stack">
                <Choices label={t('webhooks.deliveries.since')} value={since} options={options} onChange={setSince} />
                <div className="row">
                  <Button
                    label={t('webhooks.deliveries.allSince')}
                    variant="outline"
                    icon="refresh"
                    busy={busy}
                    onClick={() => void run(() => afterwards(sendFailed(endpoint, DAYS[since])))}
                  />
                </div>
              </div>
            )}
          </>
        )}
      </PagedSection>
    </Dialog>
  )
}

interface DeliveryProps {
  readonly delivery: WebhookDelivery
  /** Missing where nothing can be sent. */
  readonly onSend: (() => Promise<void>) | undefined
}

function Delivery({ delivery, onSend }: DeliveryProps) {
  const t = translate()
  const [busy, run] = useBusy()
  const { status, status_code, fault, answer, attempts, duration_ms: ms, next_attempt_at: next } = delivery
  const format = new Intl.DateTimeFormat(HTML_LANG[pageLocale()], { dateStyle: 'short', timeStyle: 'medium' })
  const time = (seconds: number) => format.format(seconds * 1_000)
  const facts = [
    time(delivery.created_at),
    t('webhooks.deliveries.attempt', { count: attempts }),
    ...(ms === null ? [] : [t('webhooks.deliveries.took', { ms })]),
    ...(status === 'waiting' && next !== null ? [t('webhooks.deliveries.next', { time: time(next) })] : []),
  ]
  return (
    <li className="stack gap-1 webhook-delivery" data-delivery={delivery.status}>
      <div className="row spread">
        <div className="row">
          <strong>{typeName(delivery.event_type)}</strong>
          <span className="badge" data-tone={TONES[status]}>
            {t(`webhooks.deliveries.${status === 'failed' ? 'failedState' : status}`)}
            {status_code !== null && ` · ${status_code}`}
          </span>
        </div>
        {onSend && (
          <Button
            label={t('webhooks.deliveries.again')}
            variant="quiet"
            busy={busy}
            aria-label={t('webhooks.deliveries.againOf', { id: delivery.id })}
            onClick={() => void run(onSend)}
          />
        )}
      </div>
      <p className="hint">{facts.join(' · ')}</p>
      <code className="hint anywhere">{delivery.id}</code>
      {fault && <p>{t(`webhooks.deliveries.fault.${fault}`)}</p>}
      {answer && (
        <details>
          <summary>{t('webhooks.deliveries.answer')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be reached by keyboard */}
          <pre className="key-code rounded webhook-answer" tabIndex={0}>
            {answer}
          </pre>
        </details>
      )}
    </li>
  )
}
