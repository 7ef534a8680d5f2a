import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { $outage, tryNow, untilAnswered } from './outage.ts'

const page = new EventTarget()
const down = () => Promise.reject(new Error('down'))
const never = () => false

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a server that gives no answer', () => {
  it('is asked again after growing waits, and the page knows when', async () => {
    const ask = vi.fn(down)
    void untilAnswered(ask, never)
    const waits: number[] = []
    for (let n = 0; n < 7; n++) {
      await vi.advanceTimersByTimeAsync(0)
      const wait = $outage.get()!.nextTry! - Date.now()
      waits.push(wait)
      await vi.advanceTimersByTimeAsync(wait)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000))
    expect(ask).toHaveBeenCalledTimes(8)
  })

  it.each([
    ['on request', () => tryNow()],
    ['when the browser is online again', () => page.dispatchEvent(new Event('online'))],
  ])('is asked %s without waiting', async (_, wake) => {
    const answers = [down, () => Promise.resolve('answer')]
    const asked = untilAnswered(() => answers.shift()!(), never)
    await vi.advanceTimersByTimeAsync(0)
    expect($outage.get()).not.toBeNull()
    wake()
    expect(await asked).toBe('answer')
    expect([$outage.get(), vi.getTimerCount()]).toEqual([null, 0])
  })

  it('is asked by one try at a time', async () => {
    let answer = (_: string) => {}
    const asks = [down, () => new Promise<string>((resolve) => (answer = resolve))]
    const asked = untilAnswered(() => asks.shift()!(), never)
    await vi.advanceTimersByTimeAsync(1000)
    expect($outage.get()).toEqual({ nextTry: null })
    tryNow()
    answer('late')
    expect(await asked).toBe('late')
  })

  it('is not asked again after a refusal', async () => {
    const ask = vi.fn(down)
    await expect(untilAnswered(ask, () => true)).rejects.toThrow('down')
    expect([ask.mock.calls.length, $outage.get()]).toEqual([1, null])
  })
})
