import { createFreeGrants } from '../accounts/freeGrants.ts'
import { createInvitations } from '../accounts/invitations.ts'
import { mailKey } from '../accounts/keys/keyRing.ts'
import { createMailedLinks } from '../accounts/mails/mailedLinks.ts'
import { createOutbox } from '../accounts/mails/outbox.ts'
import { ConfigError } from '../app/config/environment.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { openContext } from '../app/context.ts'
import { createWelcome } from '../app/welcome.ts'
import { createCredits } from '../credits/credits.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { createLog } from '../kernel/observability/log.ts'
import { CannotConnect } from '../kernel/postgres/connect.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'

const USAGE = 'Usage: npm run -s invite -- person@example.com'

interface Output {
  readonly env: NodeJS.ProcessEnv
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/**
 * Makes an account for an address, or finds it, and prints the link that sets its password. Returns the exit code: 0, or
 * 1 with the reason.
 */
export async function runInvite([address, ...others]: readonly string[], output: Output): Promise<number> {
  const { env, print, printError } = output
  if (!address || others.length > 0) {
    printError(USAGE)
    return 1
  }
  try {
    print(await invite(address, readConfig(env)))
    return 0
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CannotConnect) printError(error.message)
    else if (error instanceof ValidationError) printError(`${address} is not an e-mail address.\n${USAGE}`)
    else throw error
    return 1
  }
}

async function invite(address: string, config: Config): Promise<string> {
  const context = await openContext(config, createLog('silent'), {})
  const { database, handle, pool, calendar, clock } = context
  const { encryption } = config.secrets
  const publicUrl = config.http.publicUrl ?? `http://localhost:${config.http.port}`
  try {
    const outbox = createOutbox(database, mailKey(encryption), calendar)
    const links = createMailedLinks(database, outbox, () => publicUrl, clock)
    const welcome = createWelcome(createCredits(handle, calendar), config.payments.monthlyCredits)
    const grants = createFreeGrants(database, encryption, welcome)
    const { userId, token } = await createInvitations({ database, links, grants, calendar }).invite(address)
    await createOperatorActions(pool).record({ action: 'user_invited', detail: `user ${userId}`, ip: null })
    return `${publicUrl}/reset-password?token=${token}`
  } finally {
    await context.close()
  }
}

if (import.meta.main) {
  const output = { env: process.env, print: console.log, printError: console.error }
  process.exitCode = await runInvite(process.argv.slice(2), output)
}
