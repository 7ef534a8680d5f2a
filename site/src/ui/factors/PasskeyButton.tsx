import { useEffect, useState } from 'react'
import { errorText } from '../../api/errorText.ts'
import { hasPasskeys } from '../../api/factors/passkeys.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { Notice } from '../Notice.tsx'
import { useBusy } from '../useBusy.ts'

/** A button that proves a passkey. Hidden if the browser has no passkeys. */
export function PasskeyButton({ send }: { send: () => Promise<void> }) {
  const t = translate()
  const [problem, setProblem] = useState<unknown>()
  const [busy, run] = useBusy()
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(hasPasskeys()), [])
  const onClick = () =>
    run(async () => {
      setProblem(undefined)
      await send().catch(setProblem)
    })
  if (!shown) return null
  return (
    <>
      <Button variant="outline" size="large" wide busy={busy} onClick={onClick}>
        {t('auth.second.passkey')}
      </Button>
      {/* The live region starts empty, because screen readers announce only changes. */}
      <div role="alert">
        {problem !== undefined && <Notice tone="danger">{errorText(problem, t('auth.second.passkeyFailed'))}</Notice>}
      </div>
    </>
  )
}
