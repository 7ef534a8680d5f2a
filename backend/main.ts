import { readConfig } from './app/config/readConfig.ts'
import { REFUSALS } from './app/context.ts'
import { CannotListen, startKinora } from './app/kinora.ts'
import { raiseRestarted } from './app/operators/restarted.ts'
import { replaceFetchDispatcher } from './kernel/http/outgoing/globalFetch.ts'
import { createLog } from './kernel/observability/log.ts'
import { exitAfter } from './kernel/processes/exitAfter.ts'

/** Maximum shutdown time in addition to `drainMs`. Process managers send SIGKILL if a shutdown takes too long. */
const DRAIN_LIMIT_MS = 15_000
/** Exit code after an uncaught error (EX_SOFTWARE in sysexits.h), at which `scripts/server/supervise.mjs` starts the server again. */
const UNCAUGHT = 70

/** Reads the environment, starts the configured roles, and shuts down gracefully on SIGINT or SIGTERM. */
async function main(): Promise<void> {
  // The state of the process is unknown from now on, so it only says why and ends.
  process.on('uncaughtException', (err) => {
    const log = createLog('fatal')
    log.fatal({ err }, 'uncaught error')
    process.exit(UNCAUGHT)
  })
  replaceFetchDispatcher()
  const config = readConfig(process.env)
  // As PID 1 in a container, a process ignores signals that it has no handler for.
  let stop: (code: number) => void = (code) => process.exit(code)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0))
  const kinora = await startKinora(config)
  if (process.env.KINORA_RESTARTS) await raiseRestarted(kinora.context)
  console.log(`ready ${kinora.url}`)
  const { username, password, isNew } = config.operators
  if (isNew)
    console.log(
      `operator ${kinora.url}/admin/dashboard as ${username} with ${password} (kept in ${config.dataDir}/operator-password)`,
    )
  let stopping = false
  stop = (code) => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), config.http.drainMs + DRAIN_LIMIT_MS).unref()
    void exitAfter(kinora.stop(), code)
  }
  void kinora.failed.then((reason) => {
    if (stopping) return
    console.error(reason)
    stop(1)
  })
}

main().catch((error) => {
  console.error([...REFUSALS, CannotListen].some((type) => error instanceof type) ? error.message : error)
  process.exit(1)
})
