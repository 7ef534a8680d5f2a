import type { Endpoint } from '#backend/kernel/http/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { useBusy } from '../../../ui/useBusy.ts'
import { May } from '../May.tsx'

interface StopButtonProps {
  readonly call: Pick<Endpoint, 'role'>
  readonly about: string
  readonly onStop: () => Promise<unknown>
}

/** Stops an action or a bulk, after a step-up, or says why it goes on. Others can be stopped at the same time. */
export function StopButton({ call, about, onStop }: StopButtonProps) {
  const stop = translate()('dashboard.desk.stop')
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const attempt = () => guard(onStop).catch((error: unknown) => showToast('danger', errorText(error)))
  return (
    <May call={call}>
      <Button variant="quiet" busy={busy} label={stop} aria-label={`${stop}: ${about}`} onClick={() => run(attempt)} />
      {dialog}
    </May>
  )
}
