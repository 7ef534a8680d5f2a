import { DefaultLogger, Runtime } from '@temporalio/worker'

export type Log = { info(details: object, message: string): void; warn(details: object, message: string): void }

let log: Log | undefined

/**
 * Installs Temporal's native runtime once per process. It logs to the most recently opened engine. It ignores process
 * signals, because Kinora shuts down in its own order.
 */
export function installRuntime(latest: Log): void {
  const isFirst = log === undefined
  log = latest
  if (!isFirst) return
  const logger = new DefaultLogger('WARN', ({ message, meta }) => {
    // The engine already logs activity errors.
    if (meta?.sdkComponent !== 'activity') log?.warn({ temporal: meta }, message)
  })
  const logging = { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } as const
  Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging } })
}
