import type { LeaseOptions, Leases } from '#backend/kernel/postgres/leases.ts'
import { currentMachine, type Machine, type Scheduler } from '../time/scheduler.ts'

/** Time until another process gets the lease of one that has died or stopped answering. */
const EXPIRY_MS = 5_000
const ROUND_MS = 500
/** Longest time until a process that is awake notices that it has lost its session. */
const NOTICED_MS = 3_500

type Work = Parameters<Leases['run']>[2]

interface Wanted {
  readonly machine: Machine
  readonly work: Work
  readonly signal: AbortSignal
}

interface Lease {
  readonly waiting: Wanted[]
  holder: { readonly machine: Machine; readonly lost: AbortController } | undefined
  /** Fencing token of the last holder. */
  token: number
}

/** The leases of all machines: at most one holds each, but it may not have noticed yet that it has lost it. */
export class SimulatedLeases {
  readonly #scheduler: Scheduler
  readonly #leases = new Map<string, Lease>()

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** Returns the machine that holds a lease. */
  holder(name: string): Machine | undefined {
    return this.#leases.get(name)?.holder?.machine
  }

  /** The leases as a machine's code sees them. */
  readonly client = {
    run: async (name: string, signal: AbortSignal, work: Work, { onStandby }: LeaseOptions = {}) => {
      const lease = this.#leases.get(name) ?? { waiting: [], holder: undefined, token: 0 }
      this.#leases.set(name, lease)
      lease.waiting.push({ machine: currentMachine()!, work, signal })
      if (lease.holder) onStandby?.()
      this.#grantSoon(lease)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
  } as unknown as Leases

  /** Frees the leases of a machine that has died or sleeps. It stops its work once it is awake and has noticed. */
  expire(machine: Machine): void {
    const held = [...this.#leases.values()].filter(({ holder }) => holder?.machine === machine)
    const { random } = this.#scheduler
    this.#scheduler.schedule(random.between(0, EXPIRY_MS), undefined, () => {
      for (const lease of held) {
        if (lease.holder?.machine !== machine) continue
        const { lost } = lease.holder
        lease.holder = undefined
        // A paused machine starts to notice only when it resumes.
        const notice = () => this.#scheduler.schedule(random.between(0, NOTICED_MS), machine, () => lost.abort())
        this.#scheduler.schedule(0, machine, notice)
        this.#grantSoon(lease)
      }
    })
  }

  #grantSoon(lease: Lease): void {
    this.#scheduler.schedule(this.#scheduler.random.between(0, ROUND_MS), undefined, () => this.#grant(lease))
  }

  #grant(lease: Lease): void {
    if (lease.holder) return
    const wanted = lease.waiting.filter(({ machine, signal }) => machine.isAlive && !signal.aborted)
    const able = wanted.filter(({ machine }) => !machine.isPaused)
    // Paused machines ask again when they resume.
    if (able.length === 0 && wanted.length > 0) this.#grantSoon(lease)
    if (able.length === 0) return
    const next = this.#scheduler.random.pick(able)
    lease.waiting.splice(lease.waiting.indexOf(next), 1)
    const lost = new AbortController()
    const holder = { machine: next.machine, lost }
    lease.holder = holder
    const token = ++lease.token
    this.#scheduler.schedule(0, next.machine, async () => {
      await next.work(AbortSignal.any([lost.signal, next.signal]), token).catch(() => {})
      if (lease.holder === holder) lease.holder = undefined
      lease.waiting.push(next)
      this.#grantSoon(lease)
    })
  }
}
