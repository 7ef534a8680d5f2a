import { useStore } from '@nanostores/react'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { $refreshing, refreshBoard, today } from './board.ts'
import { timeText } from './figures.ts'
import { signOutOperator } from './operator.ts'

/** Buttons to refresh the dashboard and to sign out. */
export function HeadActions() {
  const t = translate()
  const refreshing = useStore($refreshing)
  const { status, data } = useStore(today.$section)
  const [leaving, run] = useBusy()
  const updated = !refreshing && status === 'filled' && data
  return (
    <>
      <span className="sr-only" role="status">
        {refreshing && t('dashboard.loading')}
        {updated && t('dashboard.updated', { time: timeText(data.last_updated, data.time_zone, 'time') })}
      </span>
      <Button
        icon="refresh"
        variant="outline"
        busy={refreshing}
        aria-disabled={refreshing}
        onClick={() => void refreshBoard()}
      >
        {t('dashboard.refresh')}
      </Button>
      <Button icon="logout" variant="quiet" busy={leaving} onClick={() => run(signOutOperator)}>
        {t('dashboard.logout')}
      </Button>
    </>
  )
}
