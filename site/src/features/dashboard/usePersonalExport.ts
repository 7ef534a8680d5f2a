import { operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../api/api.ts'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { csvAddress } from './board.ts'

/** Returns the panel's export of personal data, which needs a step-up if the operator has a second factor. */
export function usePersonalExport(table: 'users' | 'visits') {
  const { guard, dialog } = useStepUp(operatorFactors)
  const csv = csvAddress(table)
  const download = async () => {
    await guard(() => call(operatorFactors.checkStepUp))
    location.assign(csv)
  }
  return { csv, onCsv: () => void download().catch(() => {}), aside: dialog }
}
