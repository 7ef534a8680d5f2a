import { useStore } from '@nanostores/react'
import { translate } from '../../../i18n/client.ts'
import { $choice, $trend, csvAddress, loadTrend } from '../board.ts'
import { shortDay } from '../figures.ts'
import { Panel } from '../Panel.tsx'
import { Chart } from './Chart.tsx'

/** Charts page views and unique visitors per day. */
export function Trend() {
  const t = translate()
  useStore($choice)
  const heading = t('dashboard.trend.heading')
  return (
    <Panel
      name="trend"
      section={{ $section: $trend, load: loadTrend }}
      csv={csvAddress('days', true)}
      empty={{ text: t('dashboard.unfilled'), when: ({ daily_data }) => daily_data.length === 0 }}
    >
      {({ daily_data }) => (
        <Chart
          title={heading}
          label={t('dashboard.trend.plot')}
          head={t('dashboard.trend.date')}
          labels={daily_data.map(({ date }) => shortDay(date))}
          lines={[
            { name: t('dashboard.trend.pv'), look: 'filled', values: daily_data.map(({ pv }) => pv) },
            { name: t('dashboard.trend.uv'), look: 'dashed', values: daily_data.map(({ uv }) => uv) },
          ]}
          start={daily_data.length - 1}
        />
      )}
    </Panel>
  )
}
