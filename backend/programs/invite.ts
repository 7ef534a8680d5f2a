import { createFreeGrants } from '../accounts/freeGrants.ts'
import { createInvitations } from '../accounts/invitations.ts'
import { mailKey } from '../accounts/keys/keyRing.ts'
import { createMailedLinks } from '../accounts/mails/mailedLinks.ts'
import { createOutbox } from '../accounts/mails/outbox.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { openContext, REFUSALS } from '../app/context.ts'
import { createWelcome } from '../app/welcome.ts'
import { createCredits } from '../credits/credits.ts'
import { readAddress, runProgram, UsageError } from '../kernel/commandLine.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { createLog } from '../kernel/observability/log.ts'
import { createOutbox as createMessages } from '../kernel/outbox/outbox.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'
import { STORE_FAULTS } from './ledger/openStore.ts'

const usage = `npm run -s invite -- person@example.com

Makes an account for an address, or finds it, and prints the link that sets its password.`

/** Maximum wait for the event store, ms. */
const WAIT_MS = 5_000

interface Output {
  readonly env: NodeJS.ProcessEnv
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Makes an account for an address, or finds it, and prints the link that sets its password. Returns the exit code: 0, 1
 * with the reason, or 2 for an invalid command line.
 */
export function runInvite(args: readonly string[], { env, print, printError }: Output): Promise<number> {
  return runProgram({ usage, expected: [...REFUSALS, ...STORE_FAULTS, NoLedger], print, printError }, async () => {
    const address = readAddress(args)
    refuseNoInstallation(env)
    try {
      print(await invite(address, readConfig(env)))
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      throw new UsageError(`${address} is not an e-mail address`)
    }
    return 0
  })
}

async function invite(address: string, config: Config): Promise<string> {
  const context = await openContext(config, createLog('silent'), { waitMs: WAIT_MS })
  const { database, handle, pool, calendar, clock } = context
  const { encryption } = config.secrets
  const publicUrl = config.http.publicUrl ?? `http://localhost:${config.http.port}`
  try {
    const outbox = createOutbox(database, createMessages(pool, clock), mailKey(encryption), calendar)
    const links = createMailedLinks(database, outbox, () => publicUrl, clock)
    const welcome = createWelcome(createCredits(handle, calendar), config.payments.monthlyCredits)
    const grants = createFreeGrants(database, encryption, welcome)
    const { userId, token } = await createInvitations({ database, links, grants, calendar }).invite(address)
    await createOperatorActions(pool).record({ action: 'user_invited', detail: `user ${userId}`, ctx: null })
    return `${publicUrl}/reset-password?token=${token}`
  } finally {
    await context.close()
  }
}

if (import.meta.main) {
  const output = { env: process.env, print: console.log, printError: console.error }
  process.exitCode = await runInvite(process.argv.slice(2), output)
}
