import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createThread } from './callThread.ts'
import type { ExampleFunctions } from './testing/exampleThread.ts'

const PROGRAM = new URL('./testing/exampleThread.ts', import.meta.url)
const create = (idleMs?: number) => createThread<ExampleFunctions>(PROGRAM, { idleMs })

describe('a thread', () => {
  it('answers calls that overlap', async () => {
    const call = create()
    expect(await Promise.all([call('sum', [1, 2]), call('sum', [3, 4])])).toEqual([3, 7])
  })

  it('passes errors on to the caller', async () => {
    await expect(create()('fail', [])).rejects.toThrow(new TypeError('no sum'))
  })

  it('asks the caller, and fails if the caller cannot answer', async () => {
    const call = create()
    const answers = [call('ask', ['one'], (text: string) => text.length), call('ask', ['four'], async () => 'later')]
    expect(await Promise.all(answers)).toEqual(['one 3', 'four later'])
    const refuse = () => {
      throw new Error('refused')
    }
    await expect(call('ask', ['x'], refuse)).rejects.toThrow('refused')
  })

  it('that dies fails its calls, and starts again with the next one', async () => {
    const call = create()
    await expect(
      Promise.all([call('ask', ['x'], () => new Promise<never>(() => {})), call('end', [3])]),
    ).rejects.toThrow('ended with 3')
    expect(await call('sum', [1, 1])).toBe(2)
  })

  it('ends when it is idle, and starts again with the next call', async () => {
    const call = create(0)
    for (const turns of [0, 1, 2, 3, 5, 50]) {
      expect(await call('sum', [turns, 1])).toBe(turns + 1)
      for (let n = 0; n < turns; n++) await turn()
    }
  })
})
