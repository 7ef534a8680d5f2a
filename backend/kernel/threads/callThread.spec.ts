import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createThread } from './callThread.ts'
import type { SumFunctions } from './testing/sumThread.ts'

const program = new URL('./testing/sumThread.ts', import.meta.url)

describe('a thread', () => {
  it('answers concurrent calls with their results or errors', async () => {
    const call = createThread<SumFunctions>(program)
    const outcomes = await Promise.allSettled([call('sum', [1, 2]), call('fail', ['no']), call('sum', [3, 4])])
    expect(outcomes).toMatchObject([{ value: 3 }, { reason: { message: 'no' } }, { value: 7 }])
  })

  it('asks the caller, and fails the call if the caller cannot answer', async () => {
    const call = createThread<SumFunctions>(program)
    const answer = async (question: string) => {
      if (question === 'why') throw new Error('nobody knows')
      return question.length
    }
    expect(await call('ask', ['how long'], answer)).toBe('the answer is 8')
    await expect(call('ask', ['why'], answer)).rejects.toThrow('nobody knows')
    expect(await call('sum', [1, 1])).toBe(2)
  })

  it('fails the calls in progress when it ends, and starts again with the next call', async () => {
    const call = createThread<SumFunctions>(program)
    await expect(call('exit', [3])).rejects.toThrow('sumThread.ts ended with 3')
    expect(await call('sum', [2, 2])).toBe(4)
  })

  it('ends when it is idle, but not before', async () => {
    const call = createThread<SumFunctions>(program, { idleMs: 300 })
    const first = await call('threadId', [])
    expect(await call('threadId', [])).toBe(first)
    await pause(600)
    expect(await call('threadId', [])).not.toBe(first)
  })
})
