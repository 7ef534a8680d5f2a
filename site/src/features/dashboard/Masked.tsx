import { useStore } from '@nanostores/react'
import { operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../api/api.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { Notice } from '../../ui/Notice.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { $masked, refreshBoard } from './board.ts'

/** Says that addresses are shortened, and shows them after a step-up. */
export function Masked() {
  const t = translate()
  const masked = useStore($masked)
  const { guard, dialog } = useStepUp(operatorFactors)
  const [busy, run] = useBusy()
  const show = async () => {
    await guard(() => call(operatorFactors.checkStepUp))
    await refreshBoard()
  }
  return (
    <>
      {masked && (
        <Notice tone="info">
          <div ref={keepFocus}>
            <p>{t('dashboard.masked.text')}</p>
            <Button
              label={t('dashboard.masked.show')}
              variant="outline"
              busy={busy}
              onClick={() => void run(show).catch(() => {})}
            />
          </div>
        </Notice>
      )}
      {dialog}
    </>
  )
}
