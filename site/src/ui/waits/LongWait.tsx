import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { $outage, tryNow } from '../../api/outages/outage.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { Notice } from '../Notice.tsx'

/** How long a reader waits before the page explains the wait, ms. */
const LONG_MS = 5000

/**
 * Explains a wait that takes more than five seconds, beside the skeleton of what is missing: says when the server is asked
 * again, and asks it now on request.
 * @param onRetry asks again for something other than the session, which is asked for until the server answers
 */
export function LongWait({ onRetry }: { onRetry?: () => unknown }) {
  const [isLong, setLong] = useState(false)
  const outage = useStore($outage)
  useEffect(() => {
    const timer = setTimeout(setLong, LONG_MS, true)
    return () => clearTimeout(timer)
  }, [])
  const text = isLong ? translate()(outage ? 'common.wait.unreachable' : 'common.wait.unanswered') : ''
  return (
    <>
      {/* Screen readers announce changes of a region that was there before, and would read each second in it. */}
      <p className="sr-only" role="status">
        {text}
      </p>
      {isLong && <Explanation text={text} nextTry={outage?.nextTry ?? null} onRetry={onRetry} />}
    </>
  )
}

interface ExplanationProps {
  readonly text: string
  readonly nextTry: number | null
  readonly onRetry?: (() => unknown) | undefined
}

export function Explanation({ text, nextTry, onRetry }: ExplanationProps) {
  return (
    <Notice tone="warning">
      <p aria-hidden="true">{text}</p>
      {nextTry !== null && <Countdown until={nextTry} />}
      <Button
        label={translate()('common.wait.now')}
        variant="outline"
        icon="refresh"
        busy={nextTry === null && !onRetry}
        onClick={() => void (onRetry ?? tryNow)()}
      />
    </Notice>
  )
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="muted">{translate()('common.wait.next', { count: Math.max(1, Math.ceil((until - now) / 1000)) })}</p>
  )
}
