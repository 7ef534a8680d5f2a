import { AsyncLocalStorage } from 'node:async_hooks'
import { TimeQueue } from './queue.ts'
import type { Random } from './random.ts'

/** One start of a simulated process. A restart is another machine. */
export class Machine {
  readonly name: string
  isAlive = true
  isPaused = false
  /** Steps that became due while the machine was paused. */
  readonly deferred: (() => void)[] = []

  constructor(name: string) {
    this.name = name
  }
}

interface Step {
  readonly at: number
  readonly order: number
  readonly machine: Machine | undefined
  readonly run: () => void
  cancelled: boolean
}

export type Latency = Readonly<{ min: number; max: number }>

const running = new AsyncLocalStorage<Machine>()
const { setImmediate } = globalThis
/** Runs what waits for settled promises. A macrotask per step would do the same, at a tenth of the speed. */
const settlePromises = (process as unknown as { _tickCallback(): void })._tickCallback

/** Returns the machine whose code runs; undefined for the world outside. */
export const currentMachine = (): Machine | undefined => running.getStore()

/**
 * Virtual time, and the order in which everything happens. Every answer from outside a machine and every timer is a
 * step; the seed chooses the delays and thereby the order. A step of a dead machine is dropped, and one of a paused
 * machine waits until it resumes.
 */
export class Scheduler {
  readonly random: Random
  now: number
  steps = 0
  readonly #queue = new TimeQueue<Step>()
  #order = 0

  constructor(random: Random, now: number) {
    this.random = random
    this.now = now
  }

  /** Runs `run` on a machine, or outside of all machines, after a delay in milliseconds. */
  schedule(delayMs: number, machine: Machine | undefined, run: () => void): Step {
    const step = { at: this.now + Math.max(0, delayMs), order: this.#order++, machine, run, cancelled: false }
    this.#queue.push(step)
    return step
  }

  /** Runs `work` as code of a machine. Its promises and timers belong to the machine. */
  runOn<T>(machine: Machine | undefined, work: () => T): T {
    return machine ? running.run(machine, work) : running.exit(work)
  }

  /**
   * Calls something outside the machine. `perform` takes effect at once, in which case the caller may die before the
   * answer arrives, or on arrival, after the caller may have died.
   */
  call<T>({ min, max }: Latency, perform: () => T): Promise<T> {
    const machine = currentMachine()
    const latency = this.random.between(min, max)
    return new Promise<T>((resolve, reject) => {
      const answer = (outcome: () => T) => {
        try {
          resolve(outcome())
        } catch (error) {
          reject(error)
        }
      }
      if (this.random.chance(0.5)) {
        const outcome = attempt(perform)
        this.schedule(latency, machine, () => answer(outcome))
      } else
        this.schedule(latency, undefined, () => {
          const outcome = attempt(perform)
          this.#deliver(machine, () => answer(outcome))
        })
    })
  }

  kill(machine: Machine): void {
    machine.isAlive = false
    machine.deferred.length = 0
  }

  pause(machine: Machine): void {
    machine.isPaused = true
  }

  /** Delivers within `withinMs`, in random order, what a paused machine has missed. */
  resume(machine: Machine, withinMs: number): void {
    machine.isPaused = false
    for (const run of machine.deferred.splice(0)) this.schedule(this.random.between(0, withinMs), machine, run)
  }

  /** Runs steps until the virtual time `until`, or until `isOver` returns true after a step. */
  run(until: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          this.#runSteps(until, isOver)
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #runSteps(until: number, isOver: () => boolean): void {
    while (!isOver()) {
      const step = this.#queue.peek()
      if (!step || step.at > until) {
        this.now = Math.max(this.now, until)
        return
      }
      this.#queue.pop()
      if (step.cancelled || (step.machine && !step.machine.isAlive)) continue
      this.now = step.at
      this.steps++
      this.#deliver(step.machine, step.run)
      settlePromises()
    }
  }

  #deliver(machine: Machine | undefined, run: () => void): void {
    if (!machine) run()
    else if (!machine.isAlive) return
    else if (machine.isPaused) machine.deferred.push(run)
    else this.runOn(machine, run)
  }
}

function attempt<T>(perform: () => T): () => T {
  try {
    const value = perform()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
