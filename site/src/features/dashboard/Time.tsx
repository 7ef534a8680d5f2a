import { useStore } from '@nanostores/react'
import { $zone } from './board.ts'
import { timeText } from './figures.ts'

/** Shows a time to the minute in the operator's time zone, with seconds in the tooltip. */
export function Time({ iso }: { iso: string }) {
  const zone = useStore($zone)
  return (
    <time dateTime={iso} title={timeText(iso, zone, 'full')}>
      {timeText(iso, zone, 'minute')}
    </time>
  )
}
