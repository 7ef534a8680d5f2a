import { Rejection } from '../../eventsourcing/pure/decider.ts'
import type { Clock } from '../../time.ts'

/** Work that clients share a right to, such as all sessions of a network. */
export interface Budget {
  readonly key: string
  /** Units that the budget gains in a second. */
  readonly rate: number
}

/** A client waits in its own queue. Its work counts for all its budgets. */
export interface Client {
  /** The first budget identifies the client. */
  readonly budgets: readonly [Budget, ...Budget[]]
  /** Requests in progress. */
  readonly running: number
  /** Requests that wait. */
  readonly waiting: number
}

export interface Visit {
  /** Charges further work to the client, whose next requests wait longer. */
  readonly charge: (units: number) => void
  readonly leave: () => void
}

/** A budget holds up to this many seconds of its rate, so that a page with its files loads without a wait. */
const BURST_S = 1
/** Longest wait for work that was charged afterwards, such as the bytes of an upload, s. */
const DEBT_S = 10
const SWEEP_EVERY_MS = 10_000

interface Account {
  units: number
  at: number
  readonly rate: number
}
interface Queue {
  running: number
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

/** Creates the units that budgets have left. */
function createAccounts(clock: Clock) {
  const accounts = new Map<string, Account>()

  const accountOf = ({ key, rate }: Budget): Account => {
    const now = clock()
    const account = accounts.get(key) ?? { units: rate * BURST_S, at: now, rate }
    account.units = Math.min(rate * BURST_S, account.units + ((now - account.at) / 1_000) * rate)
    account.at = now
    accounts.set(key, account)
    return account
  }

  const charge = ({ budgets }: Client, units: number) => {
    for (const budget of budgets) {
      const account = accountOf(budget)
      account.units = Math.max(-DEBT_S * budget.rate, account.units - units)
    }
  }

  /** Returns the time until no budget of a client is used up, ms. */
  const waitOf = ({ budgets }: Client) => {
    const waits = budgets.map((budget) => (1 - accountOf(budget).units) / budget.rate)
    return Math.max(0, Math.ceil(Math.max(...waits) * 1_000))
  }

  /** Forgets full budgets. */
  const sweep = () => {
    for (const [key, { units, at, rate }] of accounts)
      if (units + ((clock() - at) / 1_000) * rate >= rate * BURST_S) accounts.delete(key)
  }

  return { charge, waitOf, sweep, size: () => accounts.size }
}

/**
 * Creates queues in memory, one per client. A request starts if its client has less than `running` in progress and none
 * of its budgets is used up. Other requests of the client wait; those of other clients pass.
 * @param clock monotonic time, ms: a system clock that is set back would stop every client
 * @example const visit = await queue.enter(client, 1); try { await serve() } finally { visit.leave() }
 */
export function createFairQueue(clock: Clock = () => performance.now()) {
  const queues = new Map<string, Queue>()
  const { charge, waitOf, ...accounts } = createAccounts(clock)
  let sweepAt = 0

  const startWaiting = (client: Client, queue: Queue) => {
    while (queue.waiting.length > 0 && queue.running < client.running) {
      const wait = waitOf(client)
      if (wait > 0) {
        queue.timer ??= setTimeout(() => {
          queue.timer = undefined
          startWaiting(client, queue)
        }, wait)
        return
      }
      queue.running++
      queue.waiting.shift()?.()
    }
  }

  /** Forgets clients that have nothing in progress and full budgets, so that memory does not grow with visitors. */
  const sweep = () => {
    if (clock() < sweepAt) return
    sweepAt = clock() + SWEEP_EVERY_MS
    for (const [key, { running, waiting }] of queues) if (running + waiting.length === 0) queues.delete(key)
    accounts.sweep()
  }

  return {
    /** Resolves when a request may start. @throws Rejection too_many_requests if too many requests of the client wait */
    async enter(client: Client, units: number): Promise<Visit> {
      sweep()
      const [{ key, rate }] = client.budgets
      const queue = queues.get(key) ?? { running: 0, waiting: [], timer: undefined }
      queues.set(key, queue)
      if (queue.waiting.length >= client.waiting)
        throw new Rejection('too_many_requests', 'Too many requests at once. Please wait a moment.', {
          retryAfter: Math.ceil(Math.max(waitOf(client) / 1_000, queue.waiting.length / rate, 1)),
        })
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.waiting.push(() => {
        charge(client, units)
        resolve()
      })
      startWaiting(client, queue)
      await promise
      return {
        charge: (more) => charge(client, more),
        leave() {
          queue.running--
          startWaiting(client, queue)
        },
      }
    },

    /** Returns the number of clients in memory. */
    size: (): number => Math.max(accounts.size(), queues.size),

    /** Lets the process end while requests wait. */
    stop(): void {
      for (const { timer } of queues.values()) clearTimeout(timer)
    },
  }
}

export type FairQueue = ReturnType<typeof createFairQueue>
