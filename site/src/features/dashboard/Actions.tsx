import { textAt, translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/lists/Pagination.tsx'
import { Table } from '../../ui/Table.tsx'
import { actions, csvAddress, openActions, PER_PAGE } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

/** Lists the operator's actions, newest first. */
export function Actions() {
  const t = translate()
  const heading = t('dashboard.actions.heading')
  return (
    <Panel
      name="actions"
      heading={heading}
      section={actions.$section}
      onRetry={() => void actions.load()}
      csv={csvAddress('actions')}
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
              { head: t('dashboard.actions.ip'), className: 'board-ip', cell: ({ ip }) => ip ?? '—' },
            ]}
          />
          {total > PER_PAGE && (
            <Pagination
              label={heading}
              shown={({ start, end }) =>
                t('dashboard.actions.shown', {
                  start: numberText(start),
                  end: numberText(end),
                  total: numberText(total),
                })
              }
              page={page}
              perPage={PER_PAGE}
              total={total}
              onOpen={openActions}
            />
          )}
        </>
      )}
    </Panel>
  )
}
