import { textAt, translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/lists/Pagination.tsx'
import { Table } from '../../ui/Table.tsx'
import { failures, openFailures, PER_PAGE } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'
import { Time } from './Time.tsx'

/** Lists failed and throttled attempts to sign in to users' accounts, newest first. */
export function SecurityFailures() {
  const t = translate()
  const heading = t('dashboard.security.heading')
  return (
    <Panel
      name="security"
      heading={heading}
      section={failures.$section}
      onRetry={() => void failures.load()}
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
          {total > PER_PAGE && (
            <Pagination
              label={heading}
              shown={({ start, end }) =>
                t('dashboard.security.shown', {
                  start: numberText(start),
                  end: numberText(end),
                  total: numberText(total),
                })
              }
              page={page}
              perPage={PER_PAGE}
              total={total}
              onOpen={openFailures}
            />
          )}
        </>
      )}
    </Panel>
  )
}
