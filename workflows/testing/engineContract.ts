import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Activities, ActivityContext, Engine } from '../engine/engine.port.ts'

export interface EngineHarness {
  /** Opens an engine on the bodies and policies of `contractBodies.ts`. Pools have 20 slots, `narrow` has one. */
  open(activities: Activities): Promise<Engine>
  /** Whether it knows itself what was running; otherwise the application starts that again. */
  readonly remembers: boolean
  /** The shortest time between two rounds of a schedule. */
  readonly shortestRoundMs: number
}

/** What every engine must do, by the words of `engine.ts`. */
export function engineContract(name: string, harness: EngineHarness): void {
  const opened: Engine[] = []
  const open = async (activities: Activities = {}) => {
    const engine = await harness.open(activities)
    opened.push(engine)
    return engine
  }
  afterEach(async () => void (await Promise.all(opened.splice(0).map((engine) => engine.stop()))))

  /** Starts a workflow and waits for its end. */
  const run = async (engine: Engine, workflow: string, input: unknown, id = randomUUID()) => {
    await engine.start(workflow, id, input)
    return engine.result(id)
  }
  const within = { timeout: 20_000, interval: 20 }

  describe(`a workflow on ${name}`, () => {
    it('is started once while it runs under its id, and again when it is over', async () => {
      const engine = await open()
      const id = randomUUID()
      for (const [input, second] of [
        [1, 2],
        [3, 4],
      ]) {
        await engine.start('waits', id, input)
        await engine.start('waits', id, second)
        const result = engine.result(id)
        await engine.signal(id, 'go')
        expect(await result).toBe(input)
      }
    })

    it('counts a signal that came before it waited, once', async () => {
      const gate = Promise.withResolvers<void>()
      const engine = await open({ gate: () => gate.promise })
      const id = randomUUID()
      await engine.start('counts', id, {})
      await engine.signal(id, 'turn')
      await engine.signal(id, 'turn')
      const result = engine.result(id)
      gate.resolve()
      expect(await result).toEqual([true, false, false])
    })

    it('wakes at a signal that comes while it waits, and only for its own', async () => {
      const engine = await open()
      const [a, b] = [randomUUID(), randomUUID()]
      await engine.start('turns', a, 50_000)
      await engine.start('turns', b, 300)
      await engine.signal(randomUUID(), 'turn')
      const results = [engine.result(a), engine.result(b)]
      await engine.signal(a, 'turn')
      expect(await Promise.all(results)).toEqual([true, false])
    })

    it('sleeps for as long as it wants to', async () => {
      const notes: unknown[] = []
      const engine = await open({ note: async (note) => void notes.push(note) })
      await run(engine, 'naps', { id: 'it', ms: 400 })
      expect(notes).toEqual(['it before', 'it after'])
    })
  })

  describe(`an activity on ${name}`, () => {
    it('is tried again by its policy, until it works', async () => {
      let tries = 0
      const flaky = async (input: unknown) => {
        if (++tries < 3) throw new Error(`try ${tries}`)
        return [input, tries]
      }
      const engine = await open({ flaky })
      expect(await run(engine, 'calls', { activity: 'flaky', input: 'in' })).toEqual({ result: ['in', 3] })
    })

    it('fails in the body after as many attempts as its policy allows', async () => {
      const broken = vi.fn(() => Promise.reject(new Error('broken')))
      const engine = await open({ broken })
      expect(await run(engine, 'calls', { activity: 'broken' })).toEqual({ thrown: true })
      expect(broken).toHaveBeenCalledTimes(3)
    })

    it('that outlives its time is tried again, and told so where it listens', async () => {
      let tries = 0
      let told = false
      const slow = (_: never, { signal }: ActivityContext) => {
        if (++tries > 1) return Promise.resolve('second')
        signal.addEventListener('abort', () => (told = true))
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      const engine = await open({ slow })
      expect(await run(engine, 'calls', { activity: 'slow' })).toEqual({ result: 'second' })
      await vi.waitFor(() => expect(told).toBe(true), within)
    })

    it('that takes long, but lives, is left alone', async () => {
      let tries = 0
      const gate = async () => {
        tries++
        await pause(3_000)
        return 'done'
      }
      const engine = await open({ gate })
      expect(await run(engine, 'calls', { activity: 'gate' })).toEqual({ result: 'done' })
      expect(tries).toBe(1)
    })

    it('gets its turn by priority when its pool is full, and owners take turns', async () => {
      const turns: string[] = []
      const first = Promise.withResolvers<void>()
      const narrow = async (name: string) => {
        turns.push(name)
        if (name === 'first') await first.promise
      }
      const engine = await open({ narrow: narrow as Activities[string] })
      const call = (name: string, priority: number, owner: string) =>
        engine.start('calls', `${id}-${name}`, { activity: 'narrow', input: name }, { priority, owner })
      const id = randomUUID()
      await call('first', 3, 'x')
      await vi.waitFor(() => expect(turns).toEqual(['first']), within)
      const calls = [
        ['late', 4, 'a'],
        ['a1', 3, 'a'],
        ['a2', 3, 'a'],
        ['a3', 3, 'a'],
        ['b1', 3, 'b'],
        ['early', 1, 'a'],
      ] as const
      for (const [name, priority, owner] of calls) await call(name, priority, owner)
      // All of them have to be waiting before the next one is chosen.
      await pause(harness.remembers ? 1_000 : 20)
      first.resolve()
      await vi.waitFor(() => expect(turns).toHaveLength(calls.length + 1), within)
      expect([turns[1], turns.at(-1)]).toEqual(['early', 'late'])
      expect(turns.indexOf('b1'), turns.join()).toBeLessThan(turns.indexOf('a3'))
    })
  })

  describe(`stopping ${name}`, () => {
    it('abandons a body that sleeps, without throwing into it, and goes on when it is opened again', async () => {
      const notes: string[] = []
      const note = async (what: string) => void notes.push(what)
      const activities = { note: note as Activities[string] }
      const engine = await open(activities)
      const id = randomUUID()
      const input = { id: 'nap', ms: 1_500 }
      await engine.start('naps', id, input)
      await vi.waitFor(() => expect(notes).toEqual(['nap before']), within)
      await engine.stop()
      await pause(50)
      expect(notes).toEqual(['nap before'])
      const again = await open(activities)
      if (!harness.remembers) await again.start('naps', id, input)
      await again.result(id)
      expect(notes.at(-1)).toBe('nap after')
      expect(notes).not.toContain('nap thrown')
    })

    it('aborts an activity, waits for it to come to rest, and has it done again later', async () => {
      const steps: string[] = []
      let isSecond = false
      const works = async (_: never, { signal }: ActivityContext) => {
        if (isSecond) return 'done'
        steps.push('begun')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await pause(50)
        steps.push('at rest')
        throw new Error('stopped')
      }
      const engine = await open({ works })
      const id = randomUUID()
      await engine.start('calls', id, { activity: 'works' })
      await vi.waitFor(() => expect(steps).toEqual(['begun']), within)
      await engine.stop()
      expect(steps).toEqual(['begun', 'at rest'])
      isSecond = true
      const again = await open({ works })
      if (!harness.remembers) await again.start('calls', id, { activity: 'works' })
      expect(await again.result(id)).toEqual({ result: 'done' })
    })
  })

  describe(`a schedule on ${name}`, () => {
    it('starts its workflow again and again, one at a time, however often it is set', async () => {
      let [running, most, runs] = [0, 0, 0]
      const tick = async () => {
        most = Math.max(most, ++running)
        runs++
        await pause(harness.shortestRoundMs * 1.5)
        running--
      }
      const engine = await open({ tick })
      const id = randomUUID()
      await engine.schedule(id, 'ticks', harness.shortestRoundMs)
      await engine.schedule(id, 'ticks', harness.shortestRoundMs)
      await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(2), within)
      expect(most).toBe(1)
    })
  })
}
