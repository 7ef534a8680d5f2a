import { findAccount } from '../accounts/accounts.ts'
import { endSessions } from '../accounts/sessions/sessions.ts'
import { ConfigError } from '../app/config/environment.ts'
import { ENTITIES, MIGRATIONS } from '../app/schema.ts'
import { readAddress, runProgram } from '../kernel/commandLine.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { connectInstallation, NoLedger } from './ledger/connectInstallation.ts'

const usage = `npm run -s end-sessions -- person@example.com

Ends all sessions of a user and closes their sockets.`

/**
 * Ends all sessions of a user and closes their sockets. Returns the number; undefined if there is no such user. Opens the
 * database alone, so that it works while other services are away.
 */
async function endAll(address: string, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const { place, stop } = await connectInstallation(env)
  const pool = openPool({ ...place.postgres, max: 2 })
  const database = await openDatabase(place.postgres, ENTITIES, MIGRATIONS)
  try {
    const em = database.em.fork()
    const account = await findAccount(em, address)
    if (!account) return undefined
    const ended = await em.transactional((tx) => endSessions(tx, account.id, new Date()))
    const detail = `user ${account.id}`
    await createOperatorActions(pool).record({ action: 'user_sessions_ended', detail, ctx: null })
    return ended
  } finally {
    await database.close()
    await pool.end()
    await stop()
  }
}

const program = {
  usage,
  expected: [ConfigError, CannotConnect, NoLedger],
  print: console.log,
  printError: console.error,
}
process.exitCode = await runProgram(program, async () => {
  const address = readAddress(process.argv.slice(2))
  const ended = await endAll(address, process.env)
  if (ended === undefined) throw new ConfigError(`no user with the address ${address}`)
  console.log(`${ended} sessions of ${address} ended`)
  return 0
})
