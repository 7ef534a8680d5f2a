import { useStore } from '@nanostores/react'
import { computed } from 'nanostores'
import type { CSSProperties } from 'react'
import { translate } from '../../i18n/client.ts'
import { Table } from '../../ui/Table.tsx'
import { $choice, $rankingOf, csvAddress, ranking, today } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

const SHOWN = 10

/** Page ranking of today or of the selected period. */
const $ranking = computed([$rankingOf, today.$section, ranking.$section], (of, { status, data }, period) =>
  of === 'period' ? period : { status, data: data?.today ?? null },
)

/** Lists the most visited pages. */
export function Ranking() {
  const t = translate()
  const of = useStore($rankingOf)
  useStore($choice)
  return (
    <Panel
      name="ranking"
      section={{ $section: $ranking, load: ranking.load }}
      core={of === 'today'}
      csv={csvAddress('pages', of === 'period')}
      aside={<Switch />}
      empty={{ text: t('dashboard.ranking.empty'), when: ({ page_ranking }) => page_ranking.length === 0 }}
    >
      {({ page_ranking }) => <Pages pages={page_ranking.slice(0, SHOWN)} />}
    </Panel>
  )
}

function Switch() {
  const t = translate()
  const of = useStore($rankingOf)
  return (
    <fieldset className="board-switch rounded">
      <legend className="sr-only">{t('dashboard.ranking.of')}</legend>
      {(['today', 'period'] as const).map((each) => (
        <label className="option" key={each}>
          <input type="radio" name="ranking" checked={of === each} onChange={() => $rankingOf.set(each)} />
          {t(`dashboard.ranking.${each}`)}
        </label>
      ))}
    </fieldset>
  )
}

function Pages({ pages }: { pages: readonly { readonly path: string; readonly count: number }[] }) {
  const t = translate()
  const most = pages[0]?.count || 1
  const part = (count: number) => ({ '--part': `${Math.round((count / most) * 100)}%` }) as CSSProperties
  return (
    <Table
      className="board-table board-pages"
      rows={pages}
      keyOf={({ path }) => path}
      rowProps={({ count }) => ({ style: part(count) })}
      columns={[
        { head: t('dashboard.ranking.rank'), headShown: '#', className: 'muted', cell: (_, index) => index + 1 },
        { head: t('dashboard.ranking.page'), isRowHead: true, cell: ({ path }) => path },
        { head: t('dashboard.ranking.count'), className: 'number', cell: ({ count }) => numberText(count) },
      ]}
    />
  )
}
