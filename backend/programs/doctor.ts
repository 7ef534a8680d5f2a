import { ConfigError } from '../app/config/environment.ts'
import { parseOptions, runProgram, text } from '../kernel/commandLine.ts'
import { runChecks } from './doctor/check.ts'
import { machineChecks } from './doctor/checkMachine.ts'
import { serviceChecks } from './doctor/checkServices.ts'
import { storeChecks } from './doctor/checkStores.ts'
import { openProviders } from './videoProviders/openProviders.ts'

const usage = `npm run doctor -- [--mail-to <address>]

Signs in to every configured service as the server would, and says what to do about each that fails: database, event log,
Temporal, bucket (writes, reads and removes a file), the places of backups and of the ledger's heads, ALERT_WEBHOOK (sends a
test alert), mail (sends a test mail, to MAIL_FROM unless --mail-to names another address), payments and video providers.
Also checks disk, ffmpeg, clock, DNS and the certificate of PUBLIC_URL.`

/** Examines the configured installation. Returns the exit code: 0, or 1 if a check failed or the settings are invalid. */
export function runDoctor(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [ConfigError], print }, async () => {
    const { 'mail-to': recipient } = parseOptions(args, { 'mail-to': text })
    const { config, providers, close } = await openProviders(env)
    try {
      const checks = [...machineChecks(config), ...storeChecks(config), ...serviceChecks(config, providers, recipient)]
      return (await runChecks(checks, print)) ? 0 : 1
    } finally {
      await close()
    }
  })
}

if (import.meta.main) process.exitCode = await runDoctor(process.argv.slice(2), process.env, console.log)
