import { translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/lists/Pagination.tsx'
import { Table } from '../../ui/Table.tsx'
import { users } from './board.ts'
import { personHref } from './desk/desk.ts'
import { numberText } from './figures.ts'
import { Panel, usePersonalExport } from './Panel.tsx'
import { Time } from './Time.tsx'

/** Lists the registered users, newest first. */
export function Users() {
  const t = translate()
  const heading = t('dashboard.users.heading')
  const exported = usePersonalExport('users')
  return (
    <Panel
      name="users"
      section={users}
      core
      {...exported}
      empty={{ text: t('dashboard.users.empty'), when: (data) => data.users.length === 0 }}
    >
      {({ users: rows, pagination: { total, page, per_page } }) => (
        <>
          <Table
            className="table-lines board-table board-lines"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                head: t('dashboard.users.email'),
                isRowHead: true,
                cell: ({ id, email }) => <a href={personHref(id)}>{email}</a>,
              },
              {
                head: t('dashboard.users.registered'),
                cell: ({ created_at }) => (created_at ? <Time iso={created_at} /> : t('dashboard.users.unknown')),
              },
              {
                head: t('dashboard.users.state'),
                cell: ({ email_verified }) => (
                  <span className="badge" data-tone={email_verified ? 'success' : 'warning'}>
                    {t(email_verified ? 'dashboard.users.verified' : 'dashboard.users.unverified')}
                  </span>
                ),
              },
            ]}
          />
          {total > per_page && (
            <Pagination
              label={heading}
              shown={({ start, end }) =>
                t('dashboard.users.shown', {
                  start: numberText(start),
                  end: numberText(end),
                  shown: numberText(rows.length),
                  total: numberText(total),
                })
              }
              page={page ?? 1}
              perPage={per_page}
              total={total}
              onOpen={users.open}
            />
          )}
        </>
      )}
    </Panel>
  )
}
