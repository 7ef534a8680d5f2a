/**
 * Calls `work` for each item, at most `limit` at the same time. Rejects with the first error once the calls in progress
 * have ended, and begins no more.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  let failed = false
  const worker = async () => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next())
      await work(next.value).catch((error) => {
        failed = true
        throw error
      })
  }
  const results = await Promise.allSettled(Array.from({ length: limit }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
