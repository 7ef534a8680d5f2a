import { CAMERA_MOVEMENTS, creditCost, type Task } from '#backend/tasks/contract.ts'
import { modelNamed } from '../../api/models.ts'
import { whileBusy } from '../../api/taskActions.ts'
import { translate } from '../../i18n/client.ts'
import { movementNames, movementSeparator, writePrompt } from '../../i18n/movements.ts'
import { showToast } from '../../ui/toasts.ts'
import { restoreFrames } from './frames/frames.ts'
import { $faults, $generation } from './generation.ts'
import { send } from './submission.ts'

type Configured = Pick<Task, 'task_type' | 'model' | 'resolution' | 'duration'>
const choicesOf = ({ task_type, model, resolution, duration }: Configured) => ({
  taskType: task_type,
  model,
  resolution,
  duration,
})

/** Returns the current price in credits of a video with the same settings. */
export const costOf = (task: Configured): number => creditCost(modelNamed(task.model), choicesOf(task))

/** Creates a new task with the same settings. */
export const generateAgain = (task: Task): Promise<void> =>
  whileBusy(task.id, 'again', async () => {
    const { task_type, model, prompt, resolution, prompt_optimizer, camera_movements, first_frame_image_url } = task
    await send({
      task_type,
      model,
      prompt,
      duration: choicesOf(task).duration,
      resolution,
      prompt_optimizer,
      ...(camera_movements.length > 0 ? { camera_movements } : {}),
      ...(task_type === 'image_to_video' ? { first_frame_image_url } : {}),
    }).catch(() => {})
  })

/** Copies a task's settings into the form. */
export function remix(task: Task): void {
  const known = task.camera_movements.filter((movement) => movement in CAMERA_MOVEMENTS)
  $generation.set({
    ...$generation.get(),
    ...choicesOf(task),
    prompt: writePrompt(task.prompt, known, movementNames(), movementSeparator()),
    promptOptimizer: task.prompt_optimizer,
  })
  $faults.set({})
  restoreFrames({ first: task.first_frame_image_url, last: null, references: [] })
  showToast('info', translate()('workspace.changed.remix'))
}
