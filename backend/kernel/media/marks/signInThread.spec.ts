import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'

/** Stands in for threads that sign at once. */
const threads: EventEmitter[] = []
vi.mock('node:worker_threads', () => ({
  Worker: class extends EventEmitter {
    constructor() {
      super()
      threads.push(this)
    }
    ref() {}
    unref() {}
    async terminate() {}
    postMessage() {
      queueMicrotask(() => this.emit('message', { signed: { sha256: String(threads.length) } }))
    }
  },
}))
const { createSigner } = await import('./signInThread.ts')

it('signs in a new thread after an idle one ended by itself', async () => {
  const signer = createSigner(async () => ({}) as never)
  const sign = () => signer.sign({ source: '/a', target: '/b', format: 'video/mp4', manifest: {} as never })
  expect(await sign()).toEqual({ sha256: '1' })
  threads[0]!.emit('error', new Error('out of memory'))
  threads[0]!.emit('exit', 1)
  expect(await sign()).toEqual({ sha256: '2' })
  await signer.close()
})
