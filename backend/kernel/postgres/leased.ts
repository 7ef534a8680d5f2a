import type { Leases } from './leases.ts'

/** A service that runs until it is stopped. */
export interface Running {
  /** Settles when the service has caught up once. */
  readonly started: Promise<void>
  /** Returns whether the service's server responds. Omitted if the service depends only on the database. */
  reachable?(): Promise<boolean>
  stop(): Promise<void>
}

/**
 * Runs a service in at most one process at a time, the one that holds the lease. `started` settles when the service has
 * started in this process or another process holds the lease. `start` receives the lease's fencing token.
 */
export function leased(leases: Leases, name: string, start: (token: number) => Running): Running {
  const halt = new AbortController()
  const started = Promise.withResolvers<void>()
  const work = async (held: AbortSignal, token: number) => {
    // The lease may have been lost between its grant and this call.
    if (held.aborted) return
    const service = start(token)
    const lost = new Promise<void>((resolve) => held.addEventListener('abort', () => resolve(), { once: true }))
    try {
      await Promise.race([service.started, lost])
      if (!held.aborted) started.resolve()
      await lost
    } finally {
      await service.stop()
    }
  }
  const done = leases.run(name, halt.signal, work, { onStandby: started.resolve })
  return {
    started: started.promise,
    async stop() {
      halt.abort()
      await done
    },
  }
}

/** Starts a service once `ready` resolves, unless it is stopped before. */
export function deferred(ready: Promise<unknown>, start: () => Running): Running {
  let stopped = false
  let service: Running | undefined
  const started = ready.then(() => {
    if (stopped) return
    service = start()
    return service.started
  })
  return {
    started,
    reachable: async () => service?.reachable?.() ?? true,
    async stop() {
      stopped = true
      await service?.stop()
    },
  }
}
