import { useState } from 'react'
import { resendMessage } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Table.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { outbox, sendMessageAgain } from './board.ts'
import { May } from './May.tsx'
import { Pages } from './Pages.tsx'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

type Message = NonNullable<ReturnType<typeof outbox.$section.get>['data']>['messages'][number]

/** Lists the emails, push messages and webhooks that were not delivered, each with a button that sends it again. */
export function Outbox() {
  const t = translate()
  const [result, setResult] = useState('')
  return (
    <Panel
      name="outbox"
      section={outbox}
      aside={
        <span className="hint" role="status">
          {result}
        </span>
      }
      empty={{ text: t('dashboard.outbox.empty'), when: ({ total }) => total === 0 }}
    >
      {({ messages, total, page }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={messages}
            keyOf={({ id }) => id}
            columns={[
              { head: t('dashboard.outbox.message'), isRowHead: true, cell: (message) => <About message={message} /> },
              { head: t('dashboard.outbox.error'), className: 'anywhere', cell: errorText },
              { head: t('dashboard.outbox.state'), cell: (message) => <State message={message} /> },
              {
                head: t('dashboard.outbox.again'),
                headShown: '',
                className: 'board-again',
                cell: (message) => message.has_body && <Again message={message} onSend={setResult} />,
              },
            ]}
          />
          <Pages name="outbox" page={page} total={total} onOpen={outbox.open} />
        </>
      )}
    </Panel>
  )
}

const About = ({ message: { channel, about, email, created_at } }: { message: Message }) => (
  <>
    {translate()(`dashboard.outbox.${channel}`)}: {about}
    <br />
    <span className="hint">
      {email} <Time iso={created_at} />
    </span>
  </>
)

const State = ({ message: { state, attempts, due_at } }: { message: Message }) => (
  <>
    {translate()(`dashboard.outbox.${state}`, { count: attempts })} {due_at && <Time iso={due_at} />}
  </>
)

const FAULTS = ['address', 'connection', 'expired', 'internal', 'timeout'] as const

/** Returns the last answer, or why there is none. */
function errorText({ status, error }: Message): string {
  const fault = FAULTS.find((each) => each === error)
  const text = fault ? translate()(`dashboard.outbox.fault.${fault}`) : error
  return [status, text].filter((part) => part !== null).join(' · ')
}

function Again({ message: { id, about, email }, onSend }: { message: Message; onSend: (result: string) => void }) {
  const t = translate()
  const [busy, run] = useBusy()
  const send = () =>
    sendMessageAgain(id).then(
      () => onSend(t('dashboard.outbox.sent')),
      () => onSend(t('dashboard.outbox.unsent')),
    )
  return (
    <May call={resendMessage}>
      <Button
        label={t('dashboard.outbox.again')}
        variant="quiet"
        busy={busy}
        aria-label={t('dashboard.outbox.againOf', { about, email })}
        onClick={() => void run(send)}
      />
    </May>
  )
}
