/**
 * The list of tasks whose files are to be removed. A task is listed before it is deleted, so that a crash leaves no files
 * behind, and a workflow removes the files when the bucket answers.
 */
export interface MediaRemovals {
  /** Lists a task, deletes it, and lets the workflow begin. Returns what `remove` returns. */
  around<T>(taskId: string, remove: () => Promise<T>): Promise<T>
  /** Returns the ids of listed tasks, oldest request first. */
  waiting(): Promise<string[]>
  done(taskId: string): Promise<void>
  /** Takes a task that was not deleted off the list, unless its deletion may still be in progress. */
  giveUp(taskId: string): Promise<void>
}
