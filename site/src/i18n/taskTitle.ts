import type { Task } from '#backend/tasks/contract.ts'
import { translate } from './client.ts'
import { movementNames, readPrompt } from './movements.ts'

/** Returns the prompt without its list of movements, or a placeholder if nothing is left. */
export const taskTitle = (task: Task): string =>
  readPrompt(task.prompt, movementNames()).text || translate()('workspace.task.noPrompt')
