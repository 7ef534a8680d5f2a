import { ConfigError } from '../app/config/environment.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { ENTITIES, MIGRATIONS, migrateSchema } from '../app/schema.ts'
import { readBackupState, savePhrase } from '../backups/backupState.ts'
import { newPhrase, recipientOf } from '../backups/recoveryPhrase.ts'
import { flag, parseOptions, runProgram } from '../kernel/commandLine.ts'
import { CannotConnect, connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const usage = `npm run -s recovery-phrase [-- --replace]

Makes the phrase that opens the nightly copies in BACKUP_TO, and prints it once. The installation keeps only its public half:
write the 24 words down and keep them in another place. --replace makes another phrase for the copies from now on;
earlier copies still need the earlier one.`

/** Makes the installation's recovery phrase. Returns the exit code: 0, or 1 if there is one already. */
export function runRecoveryPhrase(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [ConfigError, NoLedger, CannotConnect], print }, async () => {
    const { replace = false } = parseOptions(args, { replace: flag })
    refuseNoInstallation(env)
    const { database: { url } = {}, dataDir } = readConfig(env)
    const { connection, stop } = await connectDatabase({ databaseUrl: url, dataDir }, () => {})
    const pool = openPool({ ...connection, max: 2 })
    const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
    try {
      await migrateSchema(database, pool)
      const { phrase: existing } = await readBackupState(pool)
      const phrase = newPhrase()
      const isSaved =
        (!existing || replace) && (await savePhrase(pool, await recipientOf(phrase), existing?.recipient ?? null))
      if (!isSaved) {
        const { phrase: kept } = await readBackupState(pool)
        print(`There is a recovery phrase since ${kept!.at.toISOString()}. --replace makes another one.`)
        return 1
      }
      await createOperatorActions(pool).record({ action: 'recovery_phrase_made', ctx: null })
      print(inLines(phrase))
      print('These words are shown once and open every copy. Write them down, and keep them apart from this machine.')
      return 0
    } finally {
      await database.close()
      await pool.end()
      await stop()
    }
  })
}

/** Sets the words in four lines of six. */
function inLines(phrase: string): string {
  const words = phrase.split(' ')
  return [0, 6, 12, 18].map((from) => words.slice(from, from + 6).join(' ')).join('\n')
}

if (import.meta.main) process.exitCode = await runRecoveryPhrase(process.argv.slice(2), process.env, console.log)
