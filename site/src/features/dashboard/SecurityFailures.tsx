import { textAt, translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { failures } from './board.ts'
import { Pages } from './Pages.tsx'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

/** Lists failed and throttled attempts to sign in to users' accounts, newest first. */
export function SecurityFailures() {
  const t = translate()
  return (
    <Panel
      name="security"
      section={failures}
      empty={{ text: t('dashboard.security.empty'), when: ({ total }) => total === 0 }}
    >
      {({ failures: rows, total, page }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { head: t('dashboard.security.time'), cell: ({ at }) => <Time iso={at} /> },
              {
                head: t('dashboard.security.event'),
                isRowHead: true,
                cell: ({ event }) => textAt(`dashboard.security.name.${event}`) ?? event,
              },
              { head: t('dashboard.security.account'), cell: ({ email }) => email ?? '—' },
              {
                head: t('dashboard.security.device'),
                cell: ({ browser, system, network }) => [browser, system, network].filter(Boolean).join(' · ') || '—',
              },
            ]}
          />
          <Pages name="security" page={page} total={total} onOpen={failures.open} />
        </>
      )}
    </Panel>
  )
}
