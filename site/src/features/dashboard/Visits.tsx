import { useStore } from '@nanostores/react'
import { translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { $zone, today } from './board.ts'
import { timeText } from './figures.ts'
import { Panel, usePersonalExport } from './Panel.tsx'

const SHOWN = 10
const CLASSES = ['1', '2', '3', '4', '5'] as const
const TONES = { 1: undefined, 2: 'success', 3: 'info', 4: 'warning', 5: 'danger' } as const

/** Lists the latest visits with their pages and HTTP status codes. */
export function Visits() {
  const t = translate()
  const zone = useStore($zone)
  return (
    <Panel
      name="visits"
      section={today}
      core
      {...usePersonalExport('visits')}
      empty={{ text: t('dashboard.visits.empty'), when: ({ recent_visits }) => recent_visits.length === 0 }}
    >
      {({ recent_visits }) => (
        <Table
          className="table-lines board-table board-lines"
          rows={recent_visits.slice(0, SHOWN)}
          keyOf={({ timestamp }, index) => `${timestamp} ${index}`}
          columns={[
            {
              head: t('dashboard.visits.time'),
              cell: ({ timestamp }) => <time dateTime={timestamp}>{timeText(timestamp, zone, 'time')}</time>,
            },
            { head: t('dashboard.visits.page'), isRowHead: true, cell: ({ path }) => path },
            { head: t('dashboard.visits.ip'), className: 'board-ip', cell: ({ ip }) => ip ?? '—' },
            { head: t('dashboard.visits.status'), cell: ({ status_code }) => <Status code={status_code} /> },
          ]}
        />
      )}
    </Panel>
  )
}

/** Shows an HTTP status code with the colour and label of its class. */
function Status({ code }: { code: number }) {
  const hundreds = CLASSES.find((each) => each === String(code)[0])
  return (
    <span className="board-status" data-class={hundreds} data-tone={hundreds && TONES[hundreds]}>
      {code} {hundreds && <small>{translate()(`dashboard.visits.class.${hundreds}`)}</small>}
    </span>
  )
}
