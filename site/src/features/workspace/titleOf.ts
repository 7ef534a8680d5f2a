import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { readPrompt } from '../../i18n/movements.ts'
import { movementNames } from './generation.ts'

/** The prompt without its list of movements, or what stands for a missing one. */
export const titleOf = (task: Task): string =>
  readPrompt(task.prompt, movementNames()).text || translate()('workspace.task.noPrompt')
