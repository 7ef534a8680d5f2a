import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { rotateKeys } from '../accounts/keys/keyRing.ts'
import { ConfigError } from '../app/config/environment.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'

export const USAGE = `npm run rotate-key
Seals with a new ENCRYPTION_KEY what the present one has sealed: users' keys, mails on their way. Stop Kinora first.
The present key is found as Kinora finds it. The new one is NEW_ENCRYPTION_KEY (64 hexadecimal digits), or made here: where
the present one is kept in DATA_DIR, so is the new one; otherwise it is printed, to be put in ENCRYPTION_KEY's place.`

/** Changes the key that wraps the users' keys. @returns the exit code: 1 refused, 2 a command line that is wrong */
export async function runRotateKey(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<number> {
  const next = env.NEW_ENCRYPTION_KEY || randomBytes(32).toString('hex')
  if (args.length > 0 || !/^[0-9a-f]{64}$/i.test(next)) {
    print(USAGE)
    return 2
  }
  try {
    const config = readConfig(env)
    const kept = env.ENCRYPTION_KEY ? undefined : path.join(config.dataDir, 'secrets.json')
    const server = await connectDatabase({ databaseUrl: config.database?.url, dataDir: config.dataDir }, () => {})
    const client = new pg.Client(server.connection)
    await client.connect()
    try {
      const { rows } = await client.query<{ others: number }>(
        `select count(*)::int as others from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      )
      if (rows[0]!.others > 0) {
        print(
          `Somebody uses the database (${rows[0]!.others} connections): a process that knows the old key would go on using it. Stop Kinora first.`,
        )
        return 1
      }
      await client.query('begin')
      const { userKeys, mails } = await rotateKeys(client, config.secrets.encryption, next)
      // Before the commit, so that the key is never known to nobody.
      const arriving = kept && keepBeside(kept, next)
      await client.query('commit')
      if (kept && arriving) renameSync(arriving, kept)
      print(`Sealed anew: ${userKeys} users' keys, ${mails} mails.`)
      if (kept) print(`The new key is in ${kept}. Backups from before need the old one.`)
      else if (env.NEW_ENCRYPTION_KEY) print('Set ENCRYPTION_KEY to it now. Backups from before need the old one.')
      else print(`Set ENCRYPTION_KEY to this now; backups from before need the old one:\n${next}`)
      return 0
    } finally {
      await client.end()
      await server.stop()
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    print(error.message)
    return 1
  }
}

function keepBeside(file: string, key: string): string {
  const secrets = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const arriving = `${file}.new`
  writeFileSync(arriving, JSON.stringify({ ...secrets, ENCRYPTION_KEY: key }, null, 2), { mode: 0o600, flush: true })
  return arriving
}

if (import.meta.main) process.exitCode = await runRotateKey(process.argv.slice(2), process.env, console.log)
