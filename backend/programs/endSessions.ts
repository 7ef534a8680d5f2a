import { findAccount } from '../accounts/accounts.ts'
import { endSessions } from '../accounts/sessions/sessions.ts'
import { ConfigError } from '../app/config/environment.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { openContext } from '../app/context.ts'
import { readAddress, runProgram } from '../kernel/commandLine.ts'
import { createLog } from '../kernel/observability/log.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const usage = `npm run -s end-sessions -- person@example.com

Ends all sessions of a user and closes their sockets.`

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

const program = {
  usage,
  expected: [ConfigError, CannotConnect, NoLedger],
  print: console.log,
  printError: console.error,
}
process.exitCode = await runProgram(program, async () => {
  const address = readAddress(process.argv.slice(2))
  refuseNoInstallation(process.env)
  const ended = await endAll(address, readConfig(process.env))
  if (ended === undefined) throw new ConfigError(`no user with the address ${address}`)
  console.log(`${ended} sessions of ${address} ended`)
  return 0
})
