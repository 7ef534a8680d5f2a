import { generationOf } from '#backend/tasks/contract.ts'
import { check, type Faults } from '../../api/check.ts'
import { $models } from '../../api/models.ts'

const Rules = generationOf(() => $models.get())

/** Returns the error code of each invalid field of an order. */
export function faultsOf(body: unknown): Faults {
  const checked = check(Rules, body)
  return checked.ok ? {} : checked.faults
}
