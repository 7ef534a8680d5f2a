import { translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { visitors } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

const SHOWN = 6

/** Shows the visitors currently online and the pages they are viewing. */
export function Live() {
  const t = translate()
  return (
    <Panel name="live" section={visitors}>
      {({ visitors: count, pages }) => (
        <>
          <p className="row board-here muted">
            <strong className="board-number">{numberText(count)}</strong> {t('dashboard.live.visitors', { count })}
          </p>
          {pages.length === 0 ? (
            <p className="board-none stack gap-3">{t('dashboard.live.empty')}</p>
          ) : (
            <Table
              className="board-table"
              rows={pages.slice(0, SHOWN)}
              keyOf={({ path }) => path}
              columns={[
                { head: t('dashboard.live.page'), isRowHead: true, cell: ({ path }) => path },
                { head: t('dashboard.live.count'), className: 'number', cell: (page) => numberText(page.count) },
              ]}
            />
          )}
        </>
      )}
    </Panel>
  )
}
