import { pageLocale, translate } from '../../i18n/client.ts'
import { visitors } from './board.ts'
import { numberText } from './figures.ts'
import { Panel } from './Panel.tsx'

const SHOWN = 6

/** Who is here now, and on which pages. */
export function Live() {
  const t = translate()
  return (
    <Panel
      name="live"
      heading={t('dashboard.live.heading')}
      section={visitors.$section}
      onRetry={() => void visitors.load()}
    >
      {({ visitors: count, pages }) => (
        <>
          <p className="board-here">
            <strong className="board-number">{numberText(count, pageLocale())}</strong>{' '}
            {t('dashboard.live.visitors', { count })}
          </p>
          {pages.length === 0 ? (
            <p className="board-none">{t('dashboard.live.empty')}</p>
          ) : (
            <table className="board-table">
              <thead>
                <tr>
                  <th scope="col">{t('dashboard.live.page')}</th>
                  <th scope="col" className="number">
                    {t('dashboard.live.count')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {pages.slice(0, SHOWN).map((page) => (
                  <tr key={page.path}>
                    <th scope="row">{page.path}</th>
                    <td className="number">{numberText(page.count, pageLocale())}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Panel>
  )
}
