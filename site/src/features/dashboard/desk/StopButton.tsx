import type { Endpoint } from '#backend/kernel/http/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { May } from '../May.tsx'

interface StopButtonProps {
  readonly call: Pick<Endpoint, 'role'>
  readonly about: string
  readonly onStop: () => Promise<unknown>
}

/** Stops an action or a bulk, after a step-up. Others can be stopped meanwhile. */
export function StopButton({ call, about, onStop }: StopButtonProps) {
  const stop = translate()('dashboard.desk.stop')
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  return (
    <May call={call}>
      <Button
        variant="quiet"
        busy={busy}
        label={stop}
        aria-label={`${stop}: ${about}`}
        onClick={() => run(() => guard(onStop).catch(() => {}))}
      />
      {dialog}
    </May>
  )
}
