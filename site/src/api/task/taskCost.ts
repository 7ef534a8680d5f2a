import { creditCost, type Task } from '#backend/tasks/contract.ts'
import { modelNamed } from '../models.ts'

type Configured = Pick<Task, 'task_type' | 'model' | 'resolution' | 'duration'>

/** A joined film: parts of others, which are made without an engine and for free. */
export const isJoined = ({ task_type }: Pick<Task, 'task_type'>): boolean => task_type === 'join'

export const choicesOf = ({ task_type, model, resolution, duration }: Configured) => ({
  taskType: task_type === 'join' ? ('text_to_video' as const) : task_type,
  model,
  resolution,
  duration,
})

/** Returns the current price in credits of a video with the same settings. */
export const costOf = (task: Configured): number =>
  isJoined(task) ? 0 : creditCost(modelNamed(task.model), choicesOf(task))
