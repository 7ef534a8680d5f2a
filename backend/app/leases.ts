import type { LeaseOptions, Leases } from '../kernel/postgres/leases.ts'

/** A part of the program that runs until it is stopped. `started` settles when it has caught up once. */
export interface Running {
  readonly started: Promise<void>
  /** Whether what it cannot do without answers; left out where that is the database alone. */
  reachable?(): Promise<boolean>
  stop(): Promise<void>
}

/**
 * A part of the program that at most one process runs at a time: this one, whenever it holds the lease. `started` settles
 * once the part has started here, or was seen to be another process's.
 */
export function leased(
  leases: Leases,
  name: string,
  start: () => Running,
  { slot }: Pick<LeaseOptions, 'slot'> = {},
): Running {
  const halt = new AbortController()
  const started = Promise.withResolvers<void>()
  const work = async (held: AbortSignal) => {
    const part = start()
    const over = new Promise<void>((resolve) => held.addEventListener('abort', () => resolve(), { once: true }))
    try {
      await Promise.race([part.started, over])
      if (!held.aborted) started.resolve()
      await over
    } finally {
      await part.stop()
    }
  }
  const done = leases.run(name, halt.signal, work, {
    ...(slot === undefined ? {} : { slot }),
    onStandby: started.resolve,
  })
  return {
    started: started.promise,
    async stop() {
      halt.abort()
      await done
    },
  }
}
