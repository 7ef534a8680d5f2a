/** Tasks of one order, which share a toast. */
const batches = new Map<string, string[]>()

/** Adds a task to those of its order. */
export function joinBatch(id: string, batch: string[]): void {
  batch.push(id)
  batches.set(id, batch)
}

/** Returns the ids of the tasks that were ordered together with one. */
export const batchOf = (id: string): readonly string[] => batches.get(id) ?? [id]
