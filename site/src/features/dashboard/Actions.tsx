import { useStore } from '@nanostores/react'
import { pageLocale, textAt, translate } from '../../i18n/client.ts'
import { Pagination } from '../../ui/Pagination.tsx'
import { $zone, actions, csvAddress, openActions, PER_PAGE } from './board.ts'
import { numberText, timeText } from './figures.ts'
import { Panel } from './Panel.tsx'

type Row = NonNullable<ReturnType<typeof actions.$section.get>['data']>['actions'][number]

/** What the operator did, the newest first. */
export function Actions() {
  const t = translate()
  const heading = t('dashboard.actions.heading')
  const number = (value: number) => numberText(value, pageLocale())
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
          <Rows rows={rows} />
          {total > PER_PAGE && (
            <Pagination
              t={t}
              label={heading}
              shown={({ start, end }) =>
                t('dashboard.actions.shown', { start: number(start), end: number(end), total: number(total) })
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

function Rows({ rows }: { rows: readonly Row[] }) {
  const t = translate()
  const zone = useStore($zone)
  return (
    <table className="board-table board-lines">
      <thead>
        <tr>
          <th scope="col">{t('dashboard.actions.time')}</th>
          <th scope="col">{t('dashboard.actions.action')}</th>
          <th scope="col">{t('dashboard.actions.detail')}</th>
          <th scope="col">{t('dashboard.actions.ip')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ at, action, detail, ip }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an action has no name, and two may be alike.
          <tr key={`${at} ${index}`}>
            <td>
              <time dateTime={at} title={timeText(at, zone, pageLocale(), 'full')}>
                {timeText(at, zone, pageLocale(), 'minute')}
              </time>
            </td>
            <th scope="row">{textAt(`dashboard.actions.name.${action}`) ?? action}</th>
            <td>{detail ?? '—'}</td>
            <td className="board-ip">{ip ?? '—'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
