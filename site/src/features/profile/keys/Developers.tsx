import { useStore } from '@nanostores/react'
import { useState } from 'react'
import type { ApiKey } from '#backend/apiKeys/contract.ts'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { Button, LinkButton } from '../../../ui/Button.tsx'
import { Empty } from '../../../ui/Empty.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { LongWait } from '../../../ui/waits/LongWait.tsx'
import { Connections } from './Connections.tsx'
import { CopyButton } from './CopyButton.tsx'
import { CreateKey } from './CreateKey.tsx'
import { KeyCard } from './KeyCard.tsx'
import { $keys, loadKeys, type MadeKey } from './keys.ts'
import { ShownSecret } from './ShownSecret.tsx'

/** Shows the programs that act for the user: connections and API keys. */
export function Developers() {
  const keys = useStore($keys)
  const isLoaded = Array.isArray(keys)
  return (
    <>
      <Keys keys={isLoaded ? keys.filter(({ client }) => client === null) : keys} />
      {/* Without a wait, so that nothing below moves when the keys arrive. */}
      <Connections connections={isLoaded ? keys.filter(({ client }) => client !== null) : []} />
    </>
  )
}

/** Shows the API keys, and how a program uses one. */
function Keys({ keys }: { keys: readonly ApiKey[] | 'failed' | null }) {
  const t = translate()
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState<MadeKey>()
  const isEmpty = Array.isArray(keys) && keys.length === 0
  const create = <Button label={t('keys.create')} variant="primary" icon="plus" onClick={() => setCreating(true)} />
  return (
    <section className="stack stack-wide profile-section" id="developers" aria-labelledby="developers-heading">
      <div className="row spread keys-head">
        <h2 id="developers-heading">{t('keys.heading')}</h2>
        {!isEmpty && create}
      </div>
      <p className="muted keys-lead">{t('keys.lead')}</p>
      {keys === null && (
        <>
          <LongWait onRetry={loadKeys} />
          <div className="skeleton keys-skeleton" aria-busy="true" />
        </>
      )}
      {keys === 'failed' && <RetryNotice tone="danger" text={t('keys.failed')} onRetry={loadKeys} />}
      {isEmpty && (
        <div ref={keepFocus}>
          <div className="card">
            <Empty title={<h3 className="empty-title">{t('keys.emptyTitle')}</h3>} text={t('keys.emptyText')}>
              {create}
            </Empty>
          </div>
        </div>
      )}
      {Array.isArray(keys) && keys.length > 0 && (
        <ul className="stack stack-wide" ref={keepFocus}>
          {keys.map((key) => (
            <KeyCard apiKey={key} key={key.id} onMade={setMade} />
          ))}
        </ul>
      )}
      <Example />
      {creating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false)
            setMade(key)
          }}
        />
      )}
      {made && <ShownSecret texts="keys" name={made.name} secret={made.key} onClose={() => setMade(undefined)} />}
    </section>
  )
}

function Example() {
  const t = translate()
  const [model] = useStore($models)
  const lines = [
    'export KINORA_API_KEY=kin_…',
    `curl ${location.origin}/v1/videos -H "Authorization: Bearer $KINORA_API_KEY" -F model=${model?.id} -F prompt="${t('keys.example.prompt')}"`,
  ].join('\n')
  return (
    <div className="stack stack-wide card profile-card">
      <h3>{t('keys.example.heading')}</h3>
      <p className="muted">{t('keys.example.lead')}</p>
      <pre className="key-code rounded">
        <code>{lines}</code>
      </pre>
      <div className="row row-wide">
        <CopyButton text={lines} />
        <LinkButton label={t('keys.docs')} variant="quiet" to="/docs/programs" />
      </div>
    </div>
  )
}
