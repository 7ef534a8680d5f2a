import { useState } from 'react'
import type { ApiKey } from '#backend/apiKeys/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button, LinkButton } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { Spent } from '../Meter.tsx'
import { CopyButton } from './CopyButton.tsx'
import { factsOf, Scopes } from './KeyCard.tsx'
import { stopKey } from './keys.ts'

/** Shows the programs that act for the user, and how one is connected. */
export function Connections({ connections }: { connections: readonly ApiKey[] }) {
  const t = translate()
  const address = `${location.origin}/mcp`
  return (
    <section className="stack stack-wide profile-section" id="connections" aria-labelledby="connections-heading">
      <h2 id="connections-heading">{t('keys.connections.heading')}</h2>
      <p className="muted keys-lead">{t('keys.connections.lead')}</p>
      {connections.length > 0 && (
        <ul className="stack stack-wide">
          {connections.map((connection) => (
            <Connection connection={connection} key={connection.id} />
          ))}
        </ul>
      )}
      <div className="stack stack-wide card profile-card">
        <h3>{t('keys.connections.how')}</h3>
        <p className="muted">{t('keys.connections.howText')}</p>
        <pre className="key-code rounded">
          <code>{address}</code>
        </pre>
        <div className="row row-wide">
          <CopyButton text={address} />
          <LinkButton label={t('keys.connections.docs')} variant="quiet" to="/docs/assistants" />
        </div>
      </div>
    </section>
  )
}

function Connection({ connection }: { connection: ApiKey }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [busy, run] = useBusy()
  const { name, client } = connection
  return (
    <li className="stack stack-wide card profile-card" data-key={connection.id}>
      <div className="row spread">
        <div className="row min-0">
          <h3 className="anywhere">{name}</h3>
          {client?.host ? (
            <span className="hint anywhere">{client.host}</span>
          ) : (
            <span className="badge" data-tone="warning">
              {t('keys.connections.unverified')}
            </span>
          )}
        </div>
        <Button
          label={t('keys.connections.end')}
          variant="quiet"
          busy={busy}
          aria-label={t('keys.connections.endOf', { name })}
          onClick={() => setAsking(true)}
        />
      </div>
      <Scopes apiKey={connection} />
      <Spent label={t('keys.month')} used={connection.spent_this_month} limit={connection.credits_per_month} />
      <Facts className="key-facts" facts={factsOf(connection)} />
      {asking && (
        <ConfirmDialog
          title={t('keys.connections.endingTitle', { name })}
          confirm={t('keys.connections.end')}
          onConfirm={() => void run(() => stopKey(connection))}
          onClose={() => setAsking(false)}
        >
          <p>{t('keys.connections.endingText')}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
