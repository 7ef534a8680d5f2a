import { useStore } from '@nanostores/react'
import { pageLocale, translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/Pagination.tsx'
import { $zone, csvAddress, openUsers, users } from './board.ts'
import { numberText, timeText } from './figures.ts'
import { Panel } from './Panel.tsx'

type UserRow = NonNullable<ReturnType<typeof users.$section.get>['data']>['users'][number]

/** Who has registered, the newest first. */
export function Users() {
  const t = translate()
  const heading = t('dashboard.users.heading')
  const number = (value: number) => numberText(value, pageLocale())
  return (
    <Panel
      name="users"
      heading={heading}
      section={users.$section}
      csv={csvAddress('users')}
      empty={{ text: t('dashboard.users.empty'), when: (data) => data.users.length === 0 }}
    >
      {({ users: rows, pagination: { total, page, per_page } }) => (
        <>
          <Rows rows={rows} />
          {total > per_page && (
            <Pagination
              t={t}
              label={heading}
              shown={({ start, end }) =>
                t('dashboard.users.shown', {
                  start: number(start),
                  end: number(end),
                  shown: number(rows.length),
                  total: number(total),
                })
              }
              page={page ?? 1}
              perPage={per_page}
              total={total}
              onOpen={openUsers}
            />
          )}
        </>
      )}
    </Panel>
  )
}

function Rows({ rows }: { rows: readonly UserRow[] }) {
  const t = translate()
  const zone = useStore($zone)
  return (
    <table className="board-table board-lines">
      <thead>
        <tr>
          <th scope="col">{t('dashboard.users.email')}</th>
          <th scope="col">{t('dashboard.users.registered')}</th>
          <th scope="col">{t('dashboard.users.state')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, email, created_at, email_verified }) => (
          <tr key={id}>
            <th scope="row">{email}</th>
            <td>
              {created_at ? (
                <time dateTime={created_at} title={timeText(created_at, zone, pageLocale(), 'full')}>
                  {timeText(created_at, zone, pageLocale(), 'minute')}
                </time>
              ) : (
                t('dashboard.users.unknown')
              )}
            </td>
            <td>
              <span className="badge" data-tone={email_verified ? 'success' : 'warning'}>
                {t(email_verified ? 'dashboard.users.verified' : 'dashboard.users.unverified')}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
