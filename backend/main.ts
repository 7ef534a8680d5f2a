import { startKinora } from './compose.ts'
import { ConfigError, readConfig } from './config.ts'

/** The program: reads the environment once, starts what it names, and drains on a signal. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const kinora = await startKinora(config)
  console.log(`ready ${kinora.url}`)
  const { username, password, isNew } = config.operator
  if (isNew)
    console.log(
      `operator ${kinora.url}/admin/dashboard as ${username} with ${password} (kept in ${config.dataDir}/operator-password)`,
    )
  let stopping = false
  const stop = (code: number) => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), 15_000).unref()
    void kinora.stop().then(() => process.exit(code))
  }
  process.on('SIGINT', () => stop(0))
  process.on('SIGTERM', () => stop(0))
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
