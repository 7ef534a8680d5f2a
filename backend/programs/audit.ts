import { setFlagsFromString } from 'node:v8'
import { ConfigError } from '../app/config/environment.ts'
import { readCommand, USAGE } from '../audit/command.ts'
import { NotFound, runCommand } from '../audit/runCommand.ts'
import { runProgram } from '../kernel/commandLine.ts'
import { PaymentProviderDown } from '../subscriptions/paymentProvider.port.ts'
import { NoLedger } from './ledger/connectInstallation.ts'
import { openLedger } from './ledger/openLedger.ts'
import { STORE_FAULTS } from './ledger/openStore.ts'

interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
}

/** Runs the audit program. Returns the exit code: 0, 1 for deviations or errors, or 2 for an invalid command line. */
export async function runAudit(args: readonly string[], { env, print, printError }: Surroundings): Promise<number> {
  const work = async () => {
    const command = readCommand(args)
    const ledger = await openLedger(env)
    try {
      return await runCommand(command, ledger, print)
    } finally {
      await ledger.close()
    }
  }
  try {
    const expected = [NotFound, NoLedger, ConfigError, PaymentProviderDown, ...STORE_FAULTS]
    return await runProgram({ usage: USAGE, expected, print, printError }, work)
  } catch (error) {
    printError(String((error as Error).stack ?? error))
    return 1
  }
}

if (import.meta.main) {
  // The young generation must fit several pages of the log, so that most garbage is collected without being copied.
  setFlagsFromString('--max-semi-space-size=64')
  setFlagsFromString('--min-semi-space-size=32')
  process.exitCode = await runAudit(process.argv.slice(2), {
    env: process.env,
    print: console.log,
    printError: console.error,
  })
}
