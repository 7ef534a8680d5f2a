import { describe, expect, it, vi } from 'vitest'
import { CONTRACT_BODIES, contractPolicies } from '../testing/contractBodies.ts'
import { engineContract } from '../testing/engineContract.ts'
import { EmbeddedEngine } from './embeddedEngine.ts'
import type { Activities, ActivityPolicy, Workflow, WorkflowContext } from './engine.port.ts'

const policy: ActivityPolicy = { timeoutMs: 5_000, attempts: 3, firstRetryMs: 1, maxRetryMs: 4, pool: 'main' }
type Acts = Record<string, (input: unknown) => Promise<unknown>>
type Body = Workflow<Acts, unknown, unknown>

function engineOf(bodies: Record<string, Body>, activities: Activities = {}, policies: Partial<ActivityPolicy> = {}) {
  const errors: [string, string][] = []
  const engine = new EmbeddedEngine({
    workflows: bodies,
    activities,
    policies: Object.fromEntries(Object.keys(activities).map((name) => [name, { ...policy, ...policies }])),
    onError: (error, step) => errors.push([step, (error as Error).message]),
  })
  return { engine, errors }
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
type Context = WorkflowContext<Acts>

engineContract('the embedded engine', {
  remembers: false,
  shortestRoundMs: 20,
  open: async (activities) =>
    new EmbeddedEngine({
      workflows: CONTRACT_BODIES,
      activities,
      policies: contractPolicies,
      slots: { narrow: 1 },
      onError: () => {},
    }),
})

describe('a workflow on the embedded engine', () => {
  it('is started once while it runs under its id, and again when it is over', async () => {
    const seen: unknown[] = []
    const gate = Promise.withResolvers<void>()
    const { engine } = engineOf({
      body: async (_, input) => {
        seen.push(input)
        await gate.promise
        return `done ${input}`
      },
    })
    await engine.start('body', 'one', 1)
    await engine.start('body', 'one', 2)
    await engine.start('body', 'two', 3)
    const result = engine.result('one')
    gate.resolve()
    expect([await result, seen]).toEqual(['done 1', [1, 3]])
    expect(await engine.result('one')).toBeUndefined()
    await engine.start('body', 'one', 4)
    expect(seen).toEqual([1, 3, 4])
  })

  it('cannot be started under a name that nobody gave', async () => {
    const { engine } = engineOf({})
    await expect(engine.start('nothing', 'id', {})).rejects.toThrow('No workflow is called nothing')
  })

  it('tells of a body that fails, and forgets it', async () => {
    const { engine, errors } = engineOf({ body: () => Promise.reject(new Error('a fault')) })
    await engine.start('body', 'one', {})
    await vi.waitFor(() => expect(errors).toEqual([['body', 'a fault']]))
    expect(await engine.result('one')).toBeUndefined()
  })
})

describe('an activity', () => {
  it('that does not listen is given up when its time is over, and tried again', async () => {
    let tries = 0
    const deaf = () => (++tries > 1 ? Promise.resolve('second') : new Promise(() => {}))
    const { engine } = engineOf({ body: (ctx: Context) => ctx.activities.deaf!({}) }, { deaf }, { timeoutMs: 20 })
    await engine.start('body', 'one', {})
    expect(await Promise.race([engine.result('one'), pause(1_000)])).toBe('second')
  })
})

describe('stopping the engine', () => {
  it('abandons a body that sleeps or waits, without throwing into it', async () => {
    const thrown = vi.fn()
    const after = vi.fn()
    const watched =
      (wait: (ctx: Context) => Promise<unknown>): Body =>
      async (ctx) => {
        try {
          await wait(ctx)
          after()
        } catch (error) {
          thrown(error)
        }
      }
    const { engine, errors } = engineOf({
      sleeps: watched((ctx) => ctx.sleep(60_000)),
      waits: watched((ctx) => ctx.signalled('turn', 60_000)),
    })
    await engine.start('sleeps', 'a', {})
    await engine.start('waits', 'b', {})
    await engine.stop()
    await engine.signal('b', 'other')
    await engine.start('sleeps', 'c', {})
    await pause(20)
    expect([thrown.mock.calls, after.mock.calls, errors]).toEqual([[], [], []])
  })

  it('aborts an activity, waits for it to come to rest, and says nothing of it to the body', async () => {
    const steps: string[] = []
    const works = async (_: never, { signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      steps.push('told')
      await pause(20)
      steps.push('at rest')
      throw new Error('stopped')
    }
    const body: Body = async (ctx) => {
      await ctx.activities.works!({}).finally(() => steps.push('body went on'))
    }
    const { engine, errors } = engineOf({ body }, { works })
    await engine.start('body', 'one', {})
    await pause(5)
    await engine.stop()
    steps.push('stopped')
    await pause(20)
    expect([steps, errors]).toEqual([['told', 'at rest', 'stopped'], []])
  })

  it('does not try again, nor start what waits for a slot', async () => {
    const fails = vi.fn(() => Promise.reject(new Error('no')))
    const { engine } = engineOf(
      { body: (ctx: Context) => ctx.activities.fails!({}) },
      { fails },
      { firstRetryMs: 30, maxRetryMs: 30 },
    )
    await engine.start('body', 'one', {})
    await vi.waitFor(() => expect(fails).toHaveBeenCalledTimes(1))
    await engine.stop()
    await pause(60)
    expect(fails).toHaveBeenCalledTimes(1)
  })
})

describe('a schedule', () => {
  it('starts its workflow again and again, one at a time, until the engine stops', async () => {
    let running = 0
    let most = 0
    let runs = 0
    const body: Body = async () => {
      most = Math.max(most, ++running)
      runs++
      await pause(25)
      running--
    }
    const { engine } = engineOf({ body })
    await engine.schedule('id', 'body', 10)
    await engine.schedule('id', 'body', 1)
    await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(3))
    await engine.stop()
    const atStop = runs
    await pause(60)
    expect([most, runs]).toEqual([1, atStop])
  })
})
