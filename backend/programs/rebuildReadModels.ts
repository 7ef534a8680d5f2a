import { forgetReadModels } from '#projections/engine/refuseOlderLog.ts'
import { ConfigError } from '../app/config/environment.ts'
import { ForeignLog, takeOverLog } from '../app/installation.ts'
import { flag, parseOptions, runProgram } from '../kernel/commandLine.ts'
import { countConnections } from '../kernel/postgres/countConnections.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { connectInstallation, NoLedger } from './ledger/connectInstallation.ts'
import { openStore, STORE_FAULTS } from './ledger/openStore.ts'

const usage = `npm run rebuild-read-models [-- --adopt-log]

Lets the next start rebuild all read models from the log. Stop all processes first. Compare the log with the heads of
your last export before: npm run audit -- verify --heads <export>.

  --adopt-log  also makes the log in EventStoreDB the log of this database, whichever installation it belonged to`

/** Forgets what the read models have seen. Returns the exit code: 0, 1 if refused, or 2 for an invalid command line. */
export function runRebuildReadModels(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [ConfigError, NoLedger, ForeignLog, ...STORE_FAULTS], print }, async () => {
    const { 'adopt-log': adopt = false } = parseOptions(args, { 'adopt-log': flag })
    const { place, stop } = await connectInstallation(env)
    const pool = openPool({ ...place.postgres, max: 1 })
    const store = await openStore(place, pool)
    try {
      if (adopt && !place.eventStore)
        throw new ConfigError('The log is in Postgres and always belongs to its database.')
      const client = await pool.connect()
      const others = await countConnections(client).finally(() => client.release())
      if (others > 0) {
        print(
          `The database has ${others} other connections, whose processes would keep the old rows. Stop Kinora first.`,
        )
        return 1
      }
      if (adopt) await takeOverLog(pool, store)
      await forgetReadModels(pool)
      if (adopt) print('The log now belongs to this database.')
      print(
        'The next start rebuilds all read models, and then nothing in the database shows that events are missing. To be ' +
          'sure, compare first: npm run audit -- verify --heads <export>',
      )
      return 0
    } finally {
      await store.close()
      await pool.end()
      await stop()
    }
  })
}

if (import.meta.main) process.exitCode = await runRebuildReadModels(process.argv.slice(2), process.env, console.log)
