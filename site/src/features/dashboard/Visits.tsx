import { useStore } from '@nanostores/react'
import { pageLocale, translate } from '../../i18n/client.ts'
import { $zone, csvAddress, today } from './board.ts'
import { timeText } from './figures.ts'
import { Panel } from './Panel.tsx'

const SHOWN = 10
const CLASSES = ['1', '2', '3', '4', '5'] as const

/** Who came last, where to, and how it was answered. */
export function Visits() {
  const t = translate()
  const zone = useStore($zone)
  return (
    <Panel
      name="visits"
      heading={t('dashboard.visits.heading')}
      section={today.$section}
      csv={csvAddress('visits')}
      empty={{ text: t('dashboard.visits.empty'), when: ({ recent_visits }) => recent_visits.length === 0 }}
    >
      {({ recent_visits }) => (
        <table className="board-table board-lines">
          <thead>
            <tr>
              <th scope="col">{t('dashboard.visits.time')}</th>
              <th scope="col">{t('dashboard.visits.page')}</th>
              <th scope="col">{t('dashboard.visits.ip')}</th>
              <th scope="col">{t('dashboard.visits.status')}</th>
            </tr>
          </thead>
          <tbody>
            {recent_visits.slice(0, SHOWN).map(({ timestamp, path, ip, status_code }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a visit has no name, and two may be alike.
              <tr key={`${timestamp} ${index}`}>
                <td>
                  <time dateTime={timestamp}>{timeText(timestamp, zone, pageLocale(), 'time')}</time>
                </td>
                <th scope="row">{path}</th>
                <td className="board-ip">{ip ?? '—'}</td>
                <td>
                  <Status code={status_code} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

/** An HTTP status, coloured by its hundreds and told in a word as well. */
function Status({ code }: { code: number }) {
  const hundreds = CLASSES.find((each) => each === String(code)[0])
  return (
    <span className="board-status" data-class={hundreds}>
      {code} {hundreds && <small>{translate()(`dashboard.visits.class.${hundreds}`)}</small>}
    </span>
  )
}
