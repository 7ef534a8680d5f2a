import { findAccount } from '../accounts/accounts.ts'
import { endSessions } from '../accounts/sessions/sessions.ts'
import { ConfigError } from '../app/config/environment.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { openContext } from '../app/context.ts'
import { createLog } from '../kernel/observability/log.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const USAGE = 'Usage: npm run -s end-sessions -- person@example.com'

/** Ends all sessions of a user and closes their sockets. Returns the number; undefined if there is no such user. */
async function endAll(address: string, config: Config): Promise<number | undefined> {
  const context = await openContext(config, createLog('silent'), {})
  try {
    const em = context.database.em.fork()
    const account = await findAccount(em, address)
    if (!account) return undefined
    const ended = await em.transactional((tx) => endSessions(tx, account.id, new Date(context.clock())))
    const detail = `user ${account.id}`
    await createOperatorActions(context.pool).record({ action: 'user_sessions_ended', detail, ip: null })
    return ended
  } finally {
    await context.close()
  }
}

const [address, ...others] = process.argv.slice(2)
if (!address || others.length > 0) {
  console.error(USAGE)
  process.exitCode = 1
} else
  try {
    refuseNoInstallation(process.env)
    const ended = await endAll(address, readConfig(process.env))
    if (ended === undefined) throw new ConfigError(`no user with the address ${address}`)
    console.log(`${ended} sessions of ${address} ended`)
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof CannotConnect || error instanceof NoLedger)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
