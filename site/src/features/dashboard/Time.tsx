import { useStore } from '@nanostores/react'
import { $zone } from './board.ts'
import { timeText } from './figures.ts'

/** Shows an instant to the minute in the operator's time zone; the tooltip has the seconds. */
export function Time({ iso }: { iso: string }) {
  const zone = useStore($zone)
  return (
    <time dateTime={iso} title={timeText(iso, zone, 'full')}>
      {timeText(iso, zone, 'minute')}
    </time>
  )
}
