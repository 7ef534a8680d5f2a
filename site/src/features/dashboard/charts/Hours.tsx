import { translate } from '../../../i18n/client.ts'
import { csvAddress, hours } from '../board.ts'
import { hourText } from '../figures.ts'
import { Panel } from '../Panel.tsx'
import { Chart } from './Chart.tsx'

const DAY = Array.from({ length: 24 }, (_, hour) => hour)

/** Charts today's visits by hour. */
export function Hours() {
  const t = translate()
  const heading = t('dashboard.hours.heading')
  return (
    <Panel name="hours" section={hours} core csv={csvAddress('hours')}>
      {({ hourly_distribution }) => {
        const counts = new Map(hourly_distribution.map(({ hour, count }) => [hour, count]))
        const values = DAY.map((hour) => counts.get(hour) ?? 0)
        return (
          <Chart
            title={heading}
            label={t('dashboard.hours.plot')}
            head={t('dashboard.hours.hour')}
            labels={DAY.map(hourText)}
            lines={[{ name: t('dashboard.hours.count'), look: 'bars', values }]}
            start={Math.max(
              0,
              values.findLastIndex((count) => count > 0),
            )}
          />
        )
      }}
    </Panel>
  )
}
