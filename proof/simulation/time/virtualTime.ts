import crypto from 'node:crypto'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { Random } from './random.ts'
import { currentMachine, Scheduler } from './scheduler.ts'

/** Modules may use it while they load. */
let scheduler = new Scheduler(new Random(0), 0)

/** Chooses the scheduler that the process's clock, timers and randomness follow from now on. */
export function followTime(of: Scheduler): void {
  scheduler = of
}

/**
 * Replaces the clock, the timers and the randomness of this process, so that the code under simulation needs no
 * parameters for them. Call it before that code is loaded.
 */
export function installVirtualTime(): void {
  Math.random = () => scheduler.random.next()
  Date.now = () => Math.floor(scheduler.now)
  performance.now = () => scheduler.now
  const timer =
    (repeats: boolean) =>
    (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      startTimer(() => run(...args), ms ?? 0, repeats)
  globalThis.setTimeout = timer(false) as unknown as typeof setTimeout
  globalThis.setInterval = timer(true) as unknown as typeof setInterval
  const clear = (started: VirtualTimer | undefined) => started?.stop()
  globalThis.clearTimeout = clear as unknown as typeof clearTimeout
  globalThis.clearInterval = clear as unknown as typeof clearInterval
  timers.setTimeout = delay as typeof timers.setTimeout
  crypto.randomUUID = () => scheduler.random.uuid() as ReturnType<typeof crypto.randomUUID>
  AbortSignal.any = anySignal
  // Renders exist only as names: there is nothing to remove.
  fs.unlink = async () => {}
  syncBuiltinESMExports()
}

/** Node keeps its own composite signals until they abort, and with them the world of every history. */
function anySignal(signals: Iterable<AbortSignal>): AbortSignal {
  const any = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) any.abort(signal.reason)
    else signal.addEventListener('abort', () => any.abort(signal.reason), { once: true })
  }
  return any.signal
}

interface VirtualTimer {
  stop(): void
  unref(): this
  ref(): this
}

function startTimer(run: () => void, ms: number, repeats: boolean): VirtualTimer {
  const machine = currentMachine()
  let step = scheduler.schedule(ms, machine, fire)
  function fire() {
    if (repeats) step = scheduler.schedule(ms, machine, fire)
    run()
  }
  return {
    stop() {
      step.cancelled = true
    },
    unref() {
      return this
    },
    ref() {
      return this
    },
  }
}

function delay<T>(ms: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      step.cancelled = true
      const error = new Error('The operation was aborted', { cause: signal!.reason })
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
    }
    const step = scheduler.schedule(ms, currentMachine(), () => {
      signal?.removeEventListener('abort', abort)
      resolve(value as T)
    })
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
