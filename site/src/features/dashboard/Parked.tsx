import { useStore } from '@nanostores/react'
import { useState } from 'react'
import { replayParkedEvents } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Table.tsx'
import { parked, replayParked } from './board.ts'
import { May } from './May.tsx'
import { Pages } from './Pages.tsx'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

type ParkedEvent = NonNullable<ReturnType<typeof parked.$section.get>['data']>['events'][number]

/** Lists the events that could not be projected, with a button that projects them again. */
export function Parked() {
  const t = translate()
  return (
    <Panel
      name="parked"
      section={parked}
      aside={<Replay />}
      empty={{ text: t('dashboard.parked.empty'), when: ({ total }) => total === 0 }}
    >
      {({ events, total, page }) => (
        <>
          <p className="hint">{t('dashboard.parked.hint')}</p>
          <ParkedTable events={events} />
          <Pages name="parked" page={page} total={total} onOpen={parked.open} />
        </>
      )}
    </Panel>
  )
}

/** Replays the parked events and announces the result. */
function Replay() {
  const t = translate()
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState('')
  const { data } = useStore(parked.$section)
  const replay = async () => {
    setBusy(true)
    try {
      const { replayed, failed } = await replayParked()
      const texts = [t('dashboard.parked.replayed', { count: replayed })]
      if (failed > 0) texts.push(t('dashboard.parked.failed', { count: failed }))
      setResult(texts.join(' '))
    } catch {
      setResult(t('dashboard.parked.unsent'))
    }
    setBusy(false)
  }
  return (
    <>
      <span className="hint" role="status">
        {result}
      </span>
      {(busy || (data && data.total > 0)) && (
        <May call={replayParkedEvents}>
          <Button label={t('dashboard.parked.replay')} icon="refresh" variant="outline" busy={busy} onClick={replay} />
        </May>
      )}
    </>
  )
}

function ParkedTable({ events }: { events: readonly ParkedEvent[] }) {
  const t = translate()
  return (
    <Table
      className="table-lines board-table board-lines"
      rows={events}
      keyOf={({ projection, stream, parked_at }, index) => `${projection} ${stream} ${parked_at} ${index}`}
      columns={[
        { head: t('dashboard.parked.projection'), isRowHead: true, cell: ({ projection }) => projection },
        { head: t('dashboard.parked.stream'), cell: ({ stream }) => <code>{stream}</code> },
        { head: t('dashboard.parked.type'), cell: ({ type }) => type },
        { head: t('dashboard.parked.error'), cell: ({ error }) => error ?? t('dashboard.parked.follows') },
        { head: t('dashboard.parked.time'), cell: ({ parked_at }) => <Time iso={parked_at} /> },
      ]}
    />
  )
}
