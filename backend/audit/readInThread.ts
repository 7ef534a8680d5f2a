import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CanonicalPage } from './canonicalLedger.ts'

/** Number of pages to prefetch. */
const AHEAD = 2

/**
 * Reads a ledger in a worker thread. This is about half the work of an audit.
 * @param program worker that answers each message with the next page, or with 'end' after the last page
 * @throws the error that ended the thread
 */
export async function* readInThread(program: URL, workerData: unknown): AsyncGenerator<CanonicalPage> {
  const thread = new Worker(program, {
    workerData,
    // Same limit as in the main thread: pages become garbage soon after they are read.
    resourceLimits: { maxYoungGenerationSizeMb: 192 },
  })
  try {
    const pages = on(thread, 'message', { close: ['exit'] })
    for (let n = 0; n < AHEAD; n++) thread.postMessage('next')
    for await (const [page] of pages as AsyncIterable<[CanonicalPage | 'end']>) {
      if (page === 'end') return
      thread.postMessage('next')
      yield page
    }
    throw new Error('The thread that reads the ledger ended early.')
  } finally {
    await thread.terminate()
  }
}
