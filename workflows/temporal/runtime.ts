import { DefaultLogger, Runtime } from '@temporalio/worker'

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

let log: Log | undefined

/**
 * Temporal's native part is one for a process and says what it has to say to the log of the engine that was opened last.
 * Signals are the program's affair: it drains in its own order.
 */
export function installRuntime(mine: Log): void {
  const isFirst = log === undefined
  log = mine
  if (!isFirst) return
  const logger = new DefaultLogger('WARN', ({ message, meta }) => {
    // What an activity throws is told by the engine, once.
    if (meta?.sdkComponent !== 'activity') log?.warn({ temporal: meta }, message)
  })
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging } })
}
