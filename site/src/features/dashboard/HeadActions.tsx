import { useStore } from '@nanostores/react'
import { useState } from 'react'
import { pageLocale, translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { $refreshing, refreshBoard, today } from './board.ts'
import { timeText } from './figures.ts'
import { signOutOperator } from './operator.ts'

/** Buttons to refresh the board and to sign out. */
export function HeadActions() {
  const t = translate()
  const refreshing = useStore($refreshing)
  const { status, data } = useStore(today.$section)
  const [leaving, setLeaving] = useState(false)
  const leave = async () => {
    setLeaving(true)
    await signOutOperator()
    setLeaving(false)
  }
  const updated = !refreshing && status === 'filled' && data
  return (
    <>
      <span className="sr-only" role="status">
        {refreshing && t('dashboard.loading')}
        {updated && t('dashboard.updated', { time: timeText(data.last_updated, data.time_zone, pageLocale(), 'time') })}
      </span>
      <Button icon="refresh" variant="outline" disabled={refreshing} onClick={() => void refreshBoard()}>
        {t('dashboard.refresh')}
      </Button>
      <Button icon="logout" variant="quiet" busy={leaving} onClick={() => void leave()}>
        {t('dashboard.logout')}
      </Button>
    </>
  )
}
