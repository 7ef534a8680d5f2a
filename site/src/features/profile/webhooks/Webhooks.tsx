import { useStore } from '@nanostores/react'
import { useState } from 'react'
import { translate } from '../../../i18n/client.ts'
import { Button, LinkButton } from '../../../ui/Button.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { LongWait } from '../../../ui/waits/LongWait.tsx'
import { ShownSecret } from '../keys/ShownSecret.tsx'
import { EditEndpoint } from './EditEndpoint.tsx'
import { EndpointCard } from './EndpointCard.tsx'
import { $endpoints, loadEndpoints, type MadeEndpoint } from './webhooks.ts'

/** Shows the addresses that receive webhooks. */
export function Webhooks() {
  const t = translate()
  const endpoints = useStore($endpoints)
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<MadeEndpoint>()
  const isEmpty = Array.isArray(endpoints) && endpoints.length === 0
  const add = <Button label={t('webhooks.create')} variant="primary" icon="plus" onClick={() => setAdding(true)} />
  return (
    <section className="stack stack-wide profile-section" id="webhooks" aria-labelledby="webhooks-heading">
      <div className="row spread">
        <h2 id="webhooks-heading">{t('webhooks.heading')}</h2>
        {!isEmpty && add}
      </div>
      <p className="muted keys-lead">{t('webhooks.lead')}</p>
      {endpoints === null && (
        <>
          <LongWait onRetry={loadEndpoints} />
          <div className="skeleton profile-skeleton" aria-busy="true" />
        </>
      )}
      {endpoints === 'failed' && <RetryNotice tone="danger" text={t('webhooks.failed')} onRetry={loadEndpoints} />}
      {isEmpty && (
        <div ref={keepFocus}>
          <div className="card">
            <Empty title={<h3 className="empty-title">{t('webhooks.emptyTitle')}</h3>} text={t('webhooks.emptyText')}>
              {add}
            </Empty>
          </div>
        </div>
      )}
      {Array.isArray(endpoints) && endpoints.length > 0 && (
        <ul className="stack stack-wide" ref={keepFocus}>
          {endpoints.map((endpoint) => (
            <EndpointCard endpoint={endpoint} key={endpoint.id} onMade={setMade} />
          ))}
        </ul>
      )}
      <div className="row">
        <LinkButton label={t('webhooks.docs')} variant="quiet" to="/docs/programs" />
      </div>
      {adding && (
        <EditEndpoint
          onClose={() => setAdding(false)}
          onMade={(endpoint) => {
            setAdding(false)
            setMade(endpoint)
          }}
        />
      )}
      {made && (
        <ShownSecret
          texts="webhooks"
          name={made.name}
          secret={made.signing_secret}
          onClose={() => setMade(undefined)}
        />
      )}
    </section>
  )
}
