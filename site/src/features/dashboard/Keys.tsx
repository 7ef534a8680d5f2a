import { type ReactNode, useState } from 'react'
import { endApiKey, operatorFactors } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { Table } from '../../ui/Table.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { endKey, keys } from './board.ts'
import { numberText } from './figures.ts'
import { May } from './May.tsx'
import { Pages } from './Pages.tsx'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

type Key = NonNullable<ReturnType<typeof keys.$section.get>['data']>['keys'][number]

/** Lists the API keys of all users, newest first, each with a button that ends it. */
export function Keys() {
  const t = translate()
  const [result, setResult] = useState('')
  return (
    <Panel
      name="keys"
      section={keys}
      aside={
        <span className="hint" role="status">
          {result}
        </span>
      }
      empty={{ text: t('dashboard.keys.empty'), when: ({ total }) => total === 0 }}
    >
      {({ keys: rows, total, page }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { head: t('dashboard.keys.key'), isRowHead: true, cell: (key) => <Name apiKey={key} /> },
              { head: t('dashboard.keys.owner'), className: 'board-owner', cell: (key) => <Owner apiKey={key} /> },
              { head: t('dashboard.keys.credits'), cell: spentText },
              labelled('used', ({ last_used_at: at }) => (at ? <Time iso={at} /> : t('dashboard.keys.unused'))),
              labelled('life', ({ created_at: from, expires_at: to }) => (
                <>
                  <Time iso={from} /> – {to ? <Time iso={to} /> : t('dashboard.keys.never')}
                </>
              )),
              { head: t('dashboard.keys.end'), headShown: '', cell: (key) => <End apiKey={key} onEnd={setResult} /> },
            ]}
          />
          <Pages name="keys" page={page} total={total} onOpen={keys.open} />
        </>
      )}
    </Panel>
  )
}

/** Returns a column that a narrow screen labels. */
function labelled(name: 'used' | 'life', cell: (key: Key) => ReactNode) {
  const head = translate()(`dashboard.keys.${name}`)
  return { head, cell, cellProps: () => ({ 'data-label': head }) }
}

const Name = ({ apiKey: { name, hint, client } }: { apiKey: Key }) => (
  <>
    <span className="anywhere">{name}</span>{' '}
    {client ? (
      <span className="hint">{client.host ?? translate()('dashboard.keys.connection')}</span>
    ) : (
      <code className="hint">…{hint}</code>
    )}
  </>
)

const Owner = ({ apiKey: { email, scopes } }: { apiKey: Key }) => (
  <>
    {email}
    <br />
    <code className="hint">{scopes.join(', ')}</code>
  </>
)

/** Returns what a key has spent this month, and today if it has a limit for each day. */
function spentText(key: Key): string {
  const t = translate()
  const text = (name: 'today' | 'month', used: number, limit: number | null) =>
    limit === null
      ? t(`dashboard.keys.${name}`, { used: numberText(used) })
      : t(`dashboard.keys.${name}Of`, { used: numberText(used), limit: numberText(limit) })
  const month = text('month', key.spent_this_month, key.credits_per_month)
  return key.credits_per_day === null ? month : `${month} · ${text('today', key.spent_today, key.credits_per_day)}`
}

/** Ends a key after a question and, where the operator has a second factor, a step-up. */
function End({ apiKey: { id, name, email: owner }, onEnd }: { apiKey: Key; onEnd: (result: string) => void }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const end = () =>
    guard(() => endKey(id)).then(
      () => onEnd(t('dashboard.keys.ended', { name })),
      () => onEnd(t('dashboard.keys.failed')),
    )
  return (
    <>
      <May call={endApiKey}>
        <Button
          label={t('dashboard.keys.end')}
          variant="quiet"
          busy={busy}
          aria-label={t('dashboard.keys.endOf', { name, owner })}
          onClick={() => setAsking(true)}
        />
      </May>
      {asking && (
        <ConfirmDialog
          title={t('dashboard.keys.endingTitle', { name, owner })}
          confirm={t('dashboard.keys.confirm')}
          onConfirm={() => void run(end)}
          onClose={() => setAsking(false)}
        >
          <p>{t('dashboard.keys.endingText')}</p>
        </ConfirmDialog>
      )}
      {dialog}
    </>
  )
}
