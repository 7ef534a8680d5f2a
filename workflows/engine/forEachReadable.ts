import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'

/** Runs a step for each item in turn. Skips items whose streams are quarantined, so that they do not stop the others. */
export async function forEachReadable<T>(items: Iterable<T>, step: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items)
    await step(item).catch((error) => {
      if (!isUnreadable(error)) throw error
    })
}
