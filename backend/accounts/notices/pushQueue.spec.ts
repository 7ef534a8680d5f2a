import { describe, expect, it, vi } from 'vitest'
import { createPushQueue } from './pushQueue.ts'

const never = () => new Promise<void>(() => {})
const onError = vi.fn()

describe('the queue of push messages', () => {
  it('sends those of other users while an address does not answer', async () => {
    const { add, stop } = createPushQueue(onError, 100)
    for (let video = 0; video < 60; video++) add('attacker', never)
    const send = vi.fn(async () => {})
    for (let user = 0; user < 60; user++) add(`user ${user}`, send)
    await stop()
    expect(send).toHaveBeenCalledTimes(60)
  })

  it('sends the messages of a user in turn, also after one that failed', async () => {
    const { add, stop } = createPushQueue(onError)
    const sent: string[] = []
    const failure = new Error('refused')
    add('user', async () => {
      await new Promise(setImmediate)
      sent.push('first')
      throw failure
    })
    add('user', async () => void sent.push('second'))
    await stop()
    expect([sent, onError.mock.calls]).toEqual([['first', 'second'], [[failure]]])
  })

  it('drops the messages about more than twenty videos of a user', async () => {
    const { add, stop } = createPushQueue(onError)
    const send = vi.fn(async () => {})
    for (let video = 0; video < 25; video++) add('user', send)
    await stop()
    expect(send).toHaveBeenCalledTimes(20)
  })

  it('sends nothing more after a stop that timed out', async () => {
    const { add, stop } = createPushQueue(onError, 10)
    const first = Promise.withResolvers<void>()
    const send = vi.fn(async () => {})
    add('user', () => first.promise)
    add('user', send)
    await stop()
    first.resolve()
    await new Promise(setImmediate)
    expect(send).not.toHaveBeenCalled()
  })
})
