import { textAt, translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { actions } from './board.ts'
import { Pages } from './Pages.tsx'
import { Panel, usePersonalExport } from './Panel.tsx'
import { Time } from './Time.tsx'

/** Lists the operator's actions, newest first. */
export function Actions() {
  const t = translate()
  return (
    <Panel
      name="actions"
      section={actions}
      {...usePersonalExport('actions')}
      empty={{ text: t('dashboard.actions.empty'), when: ({ total }) => total === 0 }}
    >
      {({ actions: rows, total, page }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={rows}
            keyOf={({ at }, index) => `${at} ${index}`}
            columns={[
              { head: t('dashboard.actions.time'), cell: ({ at }) => <Time iso={at} /> },
              {
                head: t('dashboard.actions.action'),
                isRowHead: true,
                cell: ({ action }) => textAt(`dashboard.actions.name.${action}`) ?? action,
              },
              { head: t('dashboard.actions.detail'), cell: ({ detail }) => detail ?? '—' },
              { head: t('dashboard.waiting.operator'), cell: ({ operator }) => operator ?? '—' },
              { head: t('dashboard.actions.ip'), className: 'board-ip', cell: ({ ip }) => ip ?? '—' },
            ]}
          />
          <Pages name="actions" page={page} total={total} onOpen={actions.open} />
        </>
      )}
    </Panel>
  )
}
