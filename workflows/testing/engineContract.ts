import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import type { Activities, ActivityContext, Engine, Workflow } from '../engine/engine.port.ts'
import { calls, counts, naps, ticks, turns, waits } from './contractWorkflows.ts'

export interface EngineHarness {
  /** Opens an engine for `contractWorkflows.ts`. The pool `narrow` has one slot, other pools have 20. */
  open(activities: Activities): Promise<Engine>
  /** Whether the engine resumes its runs after a restart. Otherwise the application starts them again. */
  readonly durable: boolean
  /** Shortest schedule interval that the engine supports. */
  readonly minIntervalMs: number
}

/** Contract suite of {@link Engine}. */
export function engineContract(name: string, harness: EngineHarness): void {
  const opened: Engine[] = []
  const open = async (activities: Activities = {}) => {
    const engine = await harness.open(activities)
    opened.push(engine)
    return engine
  }
  afterEach(async () => void (await Promise.all(opened.splice(0).map((engine) => engine.stop()))))

  /** Starts a workflow and waits for its result. */
  const run = async <I, O>(
    engine: Engine,
    workflow: Workflow<never, I & { id: string }, O, { id: string }>,
    input: I,
  ) => {
    const id = randomUUID()
    await engine.start(workflow, { ...input, id })
    return engine.result(workflow, { id })
  }

  describe(`a workflow on ${name}`, () => {
    it('starts once while its id is in use, and again when it has ended', async () => {
      const engine = await open()
      const id = randomUUID()
      for (const [value, second] of [
        [1, 2],
        [3, 4],
      ]) {
        await engine.start(waits, { id, value })
        await engine.start(waits, { id, value: second })
        const result = engine.result(waits, { id })
        await engine.signal(waits, { id }, 'go')
        expect(await result).toBe(value)
      }
    })

    it('consumes a signal that came before the wait, once', async () => {
      const gate = Promise.withResolvers<void>()
      const engine = await open({ gate: () => gate.promise })
      const input = { id: randomUUID() }
      await engine.start(counts, input)
      await engine.signal(counts, input, 'turn')
      await engine.signal(counts, input, 'turn')
      const result = engine.result(counts, input)
      gate.resolve()
      expect(await result).toEqual([true, false, false])
    })

    it('wakes at a signal during the wait, and only at its own', async () => {
      const engine = await open()
      const [a, b] = [
        { id: randomUUID(), ms: 50_000 },
        { id: randomUUID(), ms: 300 },
      ]
      await engine.start(turns, a)
      await engine.start(turns, b)
      await engine.signal(turns, { id: randomUUID() }, 'turn')
      const results = [engine.result(turns, a), engine.result(turns, b)]
      await engine.signal(turns, a, 'turn')
      expect(await Promise.all(results)).toEqual([true, false])
    })

    it('sleeps for the given time', async () => {
      const notes: unknown[] = []
      const engine = await open({ note: async (note) => void notes.push(note) })
      await run(engine, naps, { as: 'it', ms: 400 })
      expect(notes).toEqual(['it before', 'it after'])
    })
  })

  describe(`an activity on ${name}`, () => {
    it('is retried according to its policy until it succeeds', async () => {
      let tries = 0
      const flaky = async (input: unknown) => {
        if (++tries < 3) throw new Error(`try ${tries}`)
        return [input, tries]
      }
      const engine = await open({ flaky })
      expect(await run(engine, calls, { activity: 'flaky', input: 'in' })).toEqual({ result: ['in', 3] })
    })

    it('throws into the body after the last attempt that its policy allows', async () => {
      const broken = vi.fn(() => Promise.reject(new Error('broken')))
      const engine = await open({ broken })
      expect(await run(engine, calls, { activity: 'broken' })).toEqual({ thrown: true })
      expect(broken).toHaveBeenCalledTimes(3)
    })

    it('is aborted at its timeout and retried', async () => {
      let tries = 0
      let aborted = false
      const slow = (_: never, { signal }: ActivityContext) => {
        if (++tries > 1) return Promise.resolve('second')
        signal.addEventListener('abort', () => (aborted = true))
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      const engine = await open({ slow })
      expect(await run(engine, calls, { activity: 'slow' })).toEqual({ result: 'second' })
      await eventually(() => expect(aborted).toBe(true))
    })

    it('is not retried while it is slow but alive', async () => {
      let tries = 0
      const gate = async () => {
        tries++
        await pause(3_000)
        return 'done'
      }
      const engine = await open({ gate })
      expect(await run(engine, calls, { activity: 'gate' })).toEqual({ result: 'done' })
      expect(tries).toBe(1)
    })

    it('waits for a full pool by priority, and round-robin by owner', async () => {
      const order: string[] = []
      const first = Promise.withResolvers<void>()
      const narrow = async (name: string) => {
        order.push(name)
        if (name === 'first') await first.promise
      }
      const engine = await open({ narrow: narrow as Activities[string] })
      const call = (name: string, priority: number, owner: string) =>
        engine.start(calls, { id: `${id}-${name}`, activity: 'narrow', input: name }, { priority, owner })
      const id = randomUUID()
      await call('first', 3, 'x')
      await eventually(() => expect(order).toEqual(['first']))
      const waiting = [
        ['late', 4, 'a'],
        ['a1', 3, 'a'],
        ['a2', 3, 'a'],
        ['a3', 3, 'a'],
        ['b1', 3, 'b'],
        ['early', 1, 'a'],
      ] as const
      for (const [name, priority, owner] of waiting) await call(name, priority, owner)
      // All calls must be waiting before the slot becomes free.
      await pause(harness.durable ? 1_000 : 20)
      first.resolve()
      await eventually(() => expect(order).toHaveLength(waiting.length + 1))
      expect([order[1], order.at(-1)]).toEqual(['early', 'late'])
      expect(order.indexOf('b1'), order.join()).toBeLessThan(order.indexOf('a3'))
    })
  })

  describe(`stopping ${name}`, () => {
    it('abandons a sleeping body without throwing into it, and resumes it when reopened', async () => {
      const notes: string[] = []
      const note = async (what: string) => void notes.push(what)
      const activities = { note: note as Activities[string] }
      const engine = await open(activities)
      const input = { id: randomUUID(), as: 'nap', ms: 1_500 }
      await engine.start(naps, input)
      await eventually(() => expect(notes).toEqual(['nap before']))
      await engine.stop()
      await pause(50)
      expect(notes).toEqual(['nap before'])
      const again = await open(activities)
      if (!harness.durable) await again.start(naps, input)
      await again.result(naps, input)
      expect(notes.at(-1)).toBe('nap after')
      expect(notes).not.toContain('nap thrown')
    })

    it('aborts an activity, waits for it to end, and runs it again later', async () => {
      const steps: string[] = []
      let isSecond = false
      const works = async (_: never, { signal }: ActivityContext) => {
        if (isSecond) return 'done'
        steps.push('started')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await pause(50)
        steps.push('ended')
        throw new Error('stopped')
      }
      const engine = await open({ works })
      const input = { id: randomUUID(), activity: 'works' }
      await engine.start(calls, input)
      await eventually(() => expect(steps).toEqual(['started']))
      await engine.stop()
      expect(steps).toEqual(['started', 'ended'])
      isSecond = true
      const again = await open({ works })
      if (!harness.durable) await again.start(calls, input)
      expect(await again.result(calls, input)).toEqual({ result: 'done' })
    })
  })

  describe(`a schedule on ${name}`, () => {
    it('starts its workflow repeatedly, one run at a time, also when it is set twice', async () => {
      let [running, most, runs] = [0, 0, 0]
      const tick = async () => {
        most = Math.max(most, ++running)
        runs++
        await pause(harness.minIntervalMs * 1.5)
        running--
      }
      const engine = await open({ tick })
      await engine.schedule(ticks, harness.minIntervalMs)
      await engine.schedule(ticks, harness.minIntervalMs)
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(2))
      expect(most).toBe(1)
    })
  })
}
