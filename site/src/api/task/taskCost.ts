import { creditCost, type Task } from '#backend/tasks/contract.ts'
import { modelNamed } from '../models.ts'

type Configured = Pick<Task, 'task_type' | 'model' | 'resolution' | 'duration'>

export const choicesOf = ({ task_type, model, resolution, duration }: Configured) => ({
  taskType: task_type,
  model,
  resolution,
  duration,
})

/** Returns the current price in credits of a video with the same settings. */
export const costOf = (task: Configured): number => creditCost(modelNamed(task.model), choicesOf(task))
