import { makerName, type Task } from '#backend/tasks/contract.ts'
import { pageLocale } from '../../i18n/client.ts'
import { modelNamed } from '../models.ts'

/** Returns what makes a task's video. Until an engine is asked, that is the ordered model; null if it is unknown. */
export function madeBy(task: Task): string | null {
  const names = modelNamed(task.model)?.names
  if (names && (task.engine_model === names.en || (task.engine === null && task.status !== 'Success')))
    return names[pageLocale()]
  return makerName(task) ?? (task.status === 'Success' ? null : task.model)
}
