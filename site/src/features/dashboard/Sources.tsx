import { useStore } from '@nanostores/react'
import { translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { $choice, csvAddress, sources } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

const SHOWN = 10

/** Shows the sites that visitors came from, and the addresses that led here. */
export function Sources() {
  const t = translate()
  useStore($choice)
  return (
    <Panel
      name="sources"
      section={sources}
      csv={csvAddress('sources', true)}
      empty={{ text: t('dashboard.sources.empty'), when: ({ sources }) => sources.length === 0 }}
    >
      {({ sources: sites, referrers }) => (
        <>
          <Table
            className="board-table"
            rows={sites.slice(0, SHOWN)}
            keyOf={({ site }) => site ?? ''}
            columns={[
              {
                head: t('dashboard.sources.site'),
                isRowHead: true,
                cell: ({ site }) => site ?? t('dashboard.sources.direct'),
              },
              {
                head: t('dashboard.sources.visitors'),
                className: 'number',
                cell: ({ visitors }) => numberText(visitors),
              },
              { head: t('dashboard.sources.views'), className: 'number', cell: ({ views }) => numberText(views) },
            ]}
          />
          {referrers.length > 0 && (
            <details>
              <summary className="touch">{t('dashboard.sources.referrers')}</summary>
              <Table
                className="board-table"
                rows={referrers}
                keyOf={({ address }) => address}
                columns={[
                  {
                    head: t('dashboard.sources.address'),
                    isRowHead: true,
                    cell: ({ address }) => <span className="anywhere">{address}</span>,
                  },
                  { head: t('dashboard.sources.views'), className: 'number', cell: ({ views }) => numberText(views) },
                ]}
              />
            </details>
          )}
        </>
      )}
    </Panel>
  )
}
