import { PROJECTIONS } from '#projections/all.ts'
import { countParked } from '#projections/engine/readParked.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { ConfigError } from '../app/config/environment.ts'
import { ENTITIES, MIGRATIONS } from '../app/schema.ts'
import { parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { connectInstallation, NoLedger } from './ledger/connectInstallation.ts'
import { openStore, STORE_FAULTS } from './ledger/openStore.ts'

const usage = `npm run replay-parked -- [--projection <name>]

Projects again the events that could not be projected: all, or those of one read model. Safe while Kinora runs.`

function readArguments(args: readonly string[]) {
  const { projection } = parseOptions(args, { projection: text })
  if (projection === undefined) return PROJECTIONS
  const found = PROJECTIONS.filter(({ name }) => name === projection)
  if (found.length === 0)
    throw new UsageError(`--projection must be one of ${PROJECTIONS.map(({ name }) => name).join(', ')}`)
  return found
}

/** Replays parked events. Returns the exit code: 0, 1 if events are still parked, or 2 for an invalid command line. */
export function runReplayParked(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [NoLedger, ConfigError, ...STORE_FAULTS], print }, async () => {
    const projections = readArguments(args)
    const { place, stop } = await connectInstallation(env)
    const pool = openPool({ ...place.postgres, max: 2 })
    const store = await openStore(place, pool)
    const database = await openDatabase(place.postgres, ENTITIES, MIGRATIONS)
    try {
      const { replayed, failed } = await replayParked(projections, { store, database })
      const detail = `${replayed} replayed, ${failed} failed`
      await createOperatorActions(pool).record({ action: 'events_replayed', detail, ctx: null })
      const names = projections.map(({ name }) => name)
      const left = (await countParked(database)).filter(({ projection }) => names.includes(projection))
      print(`Events: ${detail}`)
      for (const { projection, count } of left) print(`Still parked in ${projection}: ${count}`)
      return left.length === 0 ? 0 : 1
    } finally {
      await database.close()
      await store.close()
      await pool.end()
      await stop()
    }
  })
}

if (import.meta.main) process.exitCode = await runReplayParked(process.argv.slice(2), process.env, console.log)
