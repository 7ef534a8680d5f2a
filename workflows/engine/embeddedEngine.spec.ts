import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contractPolicies } from '../testing/contractWorkflows.ts'
import { engineContract } from '../testing/engineContract.ts'
import { EmbeddedEngine } from './embeddedEngine.ts'
import {
  type Activities,
  type ActivityPolicy,
  type NoInput,
  signalWithStart,
  type Workflow,
  type WorkflowContext,
} from './engine.port.ts'

const policy: ActivityPolicy = { timeoutMs: 5_000, attempts: 3, firstRetryMs: 1, maxRetryMs: 4, pool: 'main' }
type Acts = Record<string, (input: unknown) => Promise<unknown>>
type Context = WorkflowContext<Acts>
type Input = { readonly id: string; readonly value?: number }

/** Returns a workflow with this body. */
const bodyOf = (run: (ctx: Context, input: Input) => Promise<unknown>): Workflow<Acts, Input, unknown> => ({
  type: 'body',
  id: ({ id }) => id,
  run,
})
const one = { id: 'one' }

function engineOf(activities: Activities = {}, policies: Partial<ActivityPolicy> = {}) {
  const errors: [string, string][] = []
  const engine = new EmbeddedEngine({
    activities,
    policies: Object.fromEntries(Object.keys(activities).map((name) => [name, { ...policy, ...policies }])),
    onError: (error, step) => errors.push([step, (error as Error).message]),
  })
  return { engine, errors }
}
engineContract('the embedded engine', {
  durable: false,
  minIntervalMs: 20,
  open: async (activities) =>
    new EmbeddedEngine({
      activities,
      policies: contractPolicies,
      slots: { narrow: 1 },
      onError: () => {},
    }),
})

describe('a workflow on the embedded engine', () => {
  it('starts once while its id is in use, and again when it has ended', async () => {
    const seen: unknown[] = []
    const gate = Promise.withResolvers<void>()
    const { engine } = engineOf()
    const body = bodyOf(async (_, { value }) => {
      seen.push(value)
      await gate.promise
      return `done ${value}`
    })
    await engine.start(body, { ...one, value: 1 })
    await engine.start(body, { ...one, value: 2 })
    await engine.start(body, { id: 'two', value: 3 })
    const result = engine.result(body, one)
    gate.resolve()
    expect([await result, seen]).toEqual(['done 1', [1, 3]])
    expect(await engine.result(body, one)).toBeUndefined()
    await engine.start(body, { ...one, value: 4 })
    expect(seen).toEqual([1, 3, 4])
  })

  it('is referenced by value, not by name, and accepts only its own input', async () => {
    const { engine } = engineOf()
    const body = bodyOf(async () => {})
    // @ts-expect-error a name
    await expect(engine.start('nothing', {})).rejects.toThrow()
    // @ts-expect-error without its id
    await engine.start(body, { value: 1 })
    // @ts-expect-error a schedule passes no input
    await engine.schedule(body, 60_000)
    await engine.stop()
  })

  it('reports a body that fails, and forgets its run', async () => {
    const { engine, errors } = engineOf()
    const body = bodyOf(() => Promise.reject(new Error('a fault')))
    await engine.start(body, one)
    await expect.poll(() => errors).toEqual([['body', 'a fault']])
    expect(await engine.result(body, one)).toBeUndefined()
  })
})

describe('a signal with a start', () => {
  it('is seen by a run, in whichever of its last steps it comes', async () => {
    for (let steps = 0; steps < 40; steps++) {
      let [changes, seen] = [0, -1]
      const { promise: opened, resolve: open } = Promise.withResolvers<void>()
      const read = () => {
        seen = changes
        return opened
      }
      const { engine } = engineOf({ read })
      const body = bodyOf(async (ctx) => {
        do await ctx.activities.read!({})
        while (await ctx.signalled('changed', 0))
      })
      await engine.start(body, one)
      open()
      for (let step = 0; step < steps; step++) await undefined
      changes++
      await signalWithStart(engine, body, one, 'changed')
      await engine.result(body, one)
      expect([steps, seen]).toEqual([steps, changes])
    }
  })
})

describe('an activity', () => {
  it('is abandoned at its timeout and retried, if it ignores its signal', async () => {
    let attempts = 0
    const deaf = () => (++attempts > 1 ? Promise.resolve('second') : new Promise(() => {}))
    const { engine } = engineOf({ deaf }, { timeoutMs: 20 })
    const body = bodyOf((ctx) => ctx.activities.deaf!({}))
    await engine.start(body, one)
    expect(await engine.result(body, one)).toBe('second')
  })
})

describe('a signal', () => {
  it('ends the wait and its timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { engine } = engineOf()
      const body = bodyOf((ctx) => ctx.signalled('turn', 60_000))
      await engine.start(body, one)
      const result = engine.result(body, one)
      expect(vi.getTimerCount()).toBe(1)
      await engine.signal(body, one, 'turn')
      expect([await result, vi.getTimerCount()]).toEqual([true, 0])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('stopping the engine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('abandons a body that sleeps or waits, without throwing into it', async () => {
    const thrown = vi.fn()
    const after = vi.fn()
    const watched = (wait: (ctx: Context) => Promise<unknown>) =>
      bodyOf(async (ctx) => {
        try {
          await wait(ctx)
          after()
        } catch (error) {
          thrown(error)
        }
      })
    const { engine, errors } = engineOf()
    const sleeps = watched((ctx) => ctx.sleep(10))
    const waits = watched((ctx) => ctx.signalled('turn', 10))
    await engine.start(sleeps, { id: 'a' })
    await engine.start(waits, { id: 'b' })
    await engine.stop()
    await engine.signal(waits, { id: 'b' }, 'other')
    await engine.start(sleeps, { id: 'c' })
    await vi.advanceTimersByTimeAsync(100)
    expect([thrown.mock.calls, after.mock.calls, errors]).toEqual([[], [], []])
  })

  it('aborts an activity and waits for it to end, without resuming the body', async () => {
    const steps: string[] = []
    const works = async (_: never, { signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      steps.push('aborted')
      await turn()
      steps.push('ended')
      throw new Error('stopped')
    }
    const body = bodyOf((ctx) => ctx.activities.works!({}).finally(() => steps.push('body resumed')))
    const { engine, errors } = engineOf({ works }, { timeoutMs: 3_600_000 })
    await engine.start(body, one)
    await turn()
    await engine.stop()
    steps.push('stopped')
    await turn()
    expect([steps, errors]).toEqual([['aborted', 'ended', 'stopped'], []])
  })

  it('cancels pending retries', async () => {
    const fails = vi.fn(() => Promise.reject(new Error('no')))
    const { engine } = engineOf({ fails }, { firstRetryMs: 30, maxRetryMs: 30 })
    const body = bodyOf((ctx) => ctx.activities.fails!({}))
    await engine.start(body, one)
    await expect.poll(() => fails).toHaveBeenCalledTimes(1)
    await engine.stop()
    await vi.advanceTimersByTimeAsync(100)
    expect(fails).toHaveBeenCalledTimes(1)
  })
})

describe('a schedule', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('starts its workflow repeatedly, one run at a time, until the engine stops', async () => {
    let running = 0
    let most = 0
    let runs = 0
    const body: Workflow<Acts, NoInput> = {
      type: 'body',
      async run() {
        most = Math.max(most, ++running)
        runs++
        await new Promise((resolve) => setTimeout(resolve, 25))
        running--
      },
    }
    const { engine } = engineOf()
    await engine.schedule(body, 10)
    await engine.schedule(body, 1)
    await vi.advanceTimersByTimeAsync(200)
    await engine.stop()
    const atStop = runs
    await vi.advanceTimersByTimeAsync(200)
    expect([most, runs]).toEqual([1, atStop])
    expect(atStop).toBeGreaterThanOrEqual(3)
  })
})
