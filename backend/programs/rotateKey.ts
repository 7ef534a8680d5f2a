import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { rotateKeys } from '../accounts/keys/keyRing.ts'
import { ConfigError } from '../app/config/environment.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { parseOptions, runProgram, UsageError } from '../kernel/commandLine.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'

const usage = `npm run rotate-key

Re-encrypts users' keys and outgoing mails with a new ENCRYPTION_KEY. Stop Kinora first. The new key is
NEW_ENCRYPTION_KEY (64 hexadecimal digits), or a random one. A key that is kept in DATA_DIR is replaced there; otherwise
the new key is printed, to be set as ENCRYPTION_KEY.`

/** Rotates the master key. Returns the exit code: 0, 1 if refused, or 2 for an invalid command line. */
export function runRotateKey(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [ConfigError], print }, async () => {
    parseOptions(args, {})
    const next = env.NEW_ENCRYPTION_KEY || randomBytes(32).toString('hex')
    if (!/^[0-9a-f]{64}$/i.test(next)) throw new UsageError('NEW_ENCRYPTION_KEY must be 64 hexadecimal digits')
    const config = readConfig(env)
    const keptIn = env.ENCRYPTION_KEY ? undefined : path.join(config.dataDir, 'secrets.json')
    const server = await connectDatabase({ databaseUrl: config.database?.url, dataDir: config.dataDir }, () => {})
    const client = new pg.Client(server.connection)
    await client.connect()
    try {
      const users = await countConnections(client)
      if (users > 0) {
        print(`The database has ${users} other connections, whose processes would keep the old key. Stop Kinora first.`)
        return 1
      }
      await client.query('begin')
      const { userKeys, mails } = await rotateKeys(client, config.secrets.encryption, next)
      // Saved before the commit, so that a crash in between cannot lose the key.
      const staged = keptIn && stageKey(keptIn, next)
      await client.query('commit')
      if (keptIn && staged) renameSync(staged, keptIn)
      print(`Re-encrypted ${userKeys} users' keys and ${mails} mails.`)
      if (keptIn) print(`The new key is in ${keptIn}. Earlier backups need the old one.`)
      else if (env.NEW_ENCRYPTION_KEY) print('Set ENCRYPTION_KEY to it now. Earlier backups need the old one.')
      else print(`Set ENCRYPTION_KEY to this now; earlier backups need the old one:\n${next}`)
      return 0
    } finally {
      await client.end()
      await server.stop()
    }
  })
}

async function countConnections(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return rows[0]!.others
}

function stageKey(file: string, key: string): string {
  const secrets = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const staged = `${file}.new`
  writeFileSync(staged, JSON.stringify({ ...secrets, ENCRYPTION_KEY: key }, null, 2), { mode: 0o600, flush: true })
  return staged
}

if (import.meta.main) process.exitCode = await runRotateKey(process.argv.slice(2), process.env, console.log)
