import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createThrottle } from '../../accounts/sessions/throttle.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createUploadLimits } from './uploadLimits.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

/** Returns the limits of one API process. All share the database. */
const limitsOfProcess = () => createUploadLimits(db.database, createThrottle(db.database, Buffer.alloc(32)).take)
const outcome = (running: Promise<unknown>) => running.then(String, ({ code, fields }) => [code, fields.retryAfter])
const done = async () => 'done'

/** Returns an upload that ends when told to. */
function openUpload() {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { upload: () => promise, end: () => resolve('done') }
}

describe('uploads are limited', () => {
  it('to one at a time per user', async () => {
    const [limits, user, other, first] = [limitsOfProcess(), crypto.randomUUID(), crypto.randomUUID(), openUpload()]
    const running = limits.run(user, first.upload)
    expect(await outcome(limits.run(user, done))).toEqual(['upload_running', 2])
    expect(await outcome(limits.run(other, done))).toBe('done')
    first.end()
    await running
    expect(await outcome(limits.run(user, done))).toBe('done')
  })

  it('to 16 at a time per process, also after failures', async () => {
    const [limits, first] = [limitsOfProcess(), openUpload()]
    await outcome(limits.run(crypto.randomUUID(), () => Promise.reject(new Error('damaged'))).catch(() => 'failed'))
    const running = Array.from({ length: 16 }, () => limits.run(crypto.randomUUID(), first.upload))
    expect(await outcome(limits.run(crypto.randomUUID(), done))).toEqual(['uploads_busy', 5])
    first.end()
    await Promise.all(running)
    expect(await outcome(limits.run(crypto.randomUUID(), done))).toBe('done')
  })

  it('to 8 at a time for visitors, whose slow uploads leave room for users', async () => {
    const [limits, slow] = [limitsOfProcess(), openUpload()]
    const running = Array.from({ length: 8 }, (_, n) => limits.runForVisitor(`2001:db8:0:${n}::/64`, slow.upload))
    expect(await outcome(limits.runForVisitor('2001:db8:0:8::/64', done))).toEqual(['uploads_busy', 5])
    expect(await outcome(limits.run(crypto.randomUUID(), done))).toBe('done')
    slow.end()
    await Promise.all(running)
  })

  it('to 60 an hour per user, on all processes together', async () => {
    const [processes, user] = [[limitsOfProcess(), limitsOfProcess()], crypto.randomUUID()]
    for (let n = 0; n < 60; n++) expect(await outcome(processes[n % 2]!.run(user, done))).toBe('done')
    for (const limits of processes)
      expect(await outcome(limits.run(user, done))).toEqual(['too_many_uploads', expect.any(Number)])
    expect(await outcome(processes[0]!.run(crypto.randomUUID(), done))).toBe('done')
  })
})
