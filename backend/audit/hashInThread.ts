import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { HashedPage } from './hashedLedger.ts'

/** Number of pages to prefetch. */
const AHEAD = 2

/**
 * Reads and hashes a ledger in another thread: half the work of an audit.
 * @param program answers each message with a page, and the one after the last with 'end'
 * @throws the error that ended the thread
 */
export async function* hashInThread(program: URL, workerData: unknown): AsyncGenerator<HashedPage> {
  const thread = new Worker(program, {
    workerData,
    // As large as the main thread's: pages are garbage soon after they are read.
    resourceLimits: { maxYoungGenerationSizeMb: 192 },
  })
  try {
    const pages = on(thread, 'message', { close: ['exit'] })
    for (let n = 0; n < AHEAD; n++) thread.postMessage('next')
    for await (const [page] of pages as AsyncIterable<[HashedPage | 'end']>) {
      if (page === 'end') return
      thread.postMessage('next')
      yield page
    }
    throw new Error('The thread that reads the ledger ended early.')
  } finally {
    await thread.terminate()
  }
}
