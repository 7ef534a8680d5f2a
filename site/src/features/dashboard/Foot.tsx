import { useStore } from '@nanostores/react'
import { KEPT_DAYS } from '#backend/operators/contract.ts'
import { translate } from '../../i18n/client.ts'
import { today } from './board.ts'
import { timeText } from './figures.ts'

/** Shows the time of the last update, the time zone and the data retention period. */
export function Foot() {
  const t = translate()
  const { data } = useStore(today.$section)
  return (
    <div className="row hint board-foot">
      {data && (
        <>
          <p>
            {t('dashboard.foot.updated')}:{' '}
            <time dateTime={data.last_updated}>{timeText(data.last_updated, data.time_zone, 'full')}</time>
          </p>
          <p>
            {t('dashboard.foot.zone')}: {data.time_zone}
          </p>
        </>
      )}
      <p>{t('dashboard.foot.kept', { days: KEPT_DAYS })}</p>
    </div>
  )
}
