import { ConfigError, readConfig } from './app/config/readConfig.ts'
import { startKinora } from './app/kinora.ts'

/** The longest that a drain may take, beside the pause before it: whoever sent the signal waits for so long. */
const DRAIN_LIMIT_MS = 15_000

/** The program: reads the environment once, starts what it names, and drains on a signal. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  // As the first process of a container it would otherwise not hear a signal.
  let stop: (code: number) => void = (code) => process.exit(code)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0))
  const kinora = await startKinora(config)
  console.log(`ready ${kinora.url}`)
  const { username, password, isNew } = config.operator
  if (isNew)
    console.log(
      `operator ${kinora.url}/admin/dashboard as ${username} with ${password} (kept in ${config.dataDir}/operator-password)`,
    )
  let stopping = false
  stop = (code) => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), config.drainMs + DRAIN_LIMIT_MS).unref()
    void kinora.stop().then(() => process.exit(code))
  }
  void kinora.failed.then((reason) => {
    if (stopping) return
    console.error(reason)
    stop(1)
  })
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
