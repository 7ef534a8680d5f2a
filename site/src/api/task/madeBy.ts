import { makerName, type Task } from '#backend/tasks/contract.ts'

/** Returns what makes a task's video. Until an engine is asked, that is the ordered model; null if it is unknown. */
export const madeBy = (task: Task): string | null => makerName(task) ?? (task.status === 'Success' ? null : task.model)
