import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { abandonLostKey, rotateKeys } from '../accounts/keys/keyRing.ts'
import { refuseWrongMasterKey, WrongMasterKey } from '../accounts/keys/masterKey.ts'
import { moveQueuedMails } from '../accounts/mails/outbox.ts'
import { resealStarts } from '../accounts/start/resealStarts.ts'
import { ConfigError } from '../app/config/environment.ts'
import { type Config, readConfig } from '../app/config/readConfig.ts'
import { withFiles } from '../app/config/settingFiles.ts'
import { dropLostCredential, resealCredential } from '../app/marks/keptCredential.ts'
import { resealEngineSettings } from '../app/video/engineSettings.ts'
import { flag, parseOptions, runProgram, UsageError } from '../kernel/commandLine.ts'
import { CannotConnect, connectDatabase } from '../kernel/postgres/connect.ts'
import { connectClient } from '../kernel/postgres/connectClient.ts'
import { countConnections } from '../kernel/postgres/countConnections.ts'
import { NoLedger, refuseNoInstallation } from './ledger/connectInstallation.ts'

const usage = `npm run rotate-key [-- --key-lost]

Re-encrypts users' keys, outgoing mails and the engines of the board with a new ENCRYPTION_KEY. Stop Kinora first. The
new key is NEW_ENCRYPTION_KEY (64 hexadecimal digits), or a random one. A key that is kept in DATA_DIR is replaced
there; otherwise the new key is printed, to be set as ENCRYPTION_KEY.

  --key-lost  if the key of this database is lost for ever: keeps the configured key, and removes the users' keys,
              authenticator apps and mails that it does not open. Their prompts cannot be read again. Accounts whose only
              second factor was the app, the operator's included, are signed in to with the password alone until another
              one is set up.`

type Print = (text: string) => void

/** Rotates the master key. Returns the exit code: 0, 1 if refused, or 2 for an invalid command line. */
export function runRotateKey(args: readonly string[], env: NodeJS.ProcessEnv, print: Print) {
  return runProgram({ usage, expected: [ConfigError, NoLedger, CannotConnect, WrongMasterKey], print }, async () => {
    const { 'key-lost': lost = false } = parseOptions(args, { 'key-lost': flag })
    const next = env.NEW_ENCRYPTION_KEY || randomBytes(32).toString('hex')
    if (!/^[0-9a-f]{64}$/i.test(next)) throw new UsageError('NEW_ENCRYPTION_KEY must be 64 hexadecimal digits')
    refuseNoInstallation(env)
    const config = readConfig(env)
    const server = await connectDatabase({ databaseUrl: config.database?.url, dataDir: config.dataDir }, () => {})
    const client = await connectClient(server.connection)
    try {
      const users = await countConnections(client)
      if (users > 0) {
        print(`The database has ${users} other connections, whose processes would keep the old key. Stop Kinora first.`)
        return 1
      }
      await client.query('begin')
      await moveQueuedMails({ query: async (sql, values) => (await client.query(sql, [...(values ?? [])])).rows })
      if (lost) await abandon(client, config, print)
      else await rotate(client, config, { next, env: withFiles(env), print })
      return 0
    } finally {
      await client.end()
      await server.stop()
    }
  })
}

async function abandon(client: pg.Client, { secrets }: Config, print: Print) {
  const { userKeys, authenticators, mails } = await abandonLostKey(client, secrets.encryption)
  await dropLostCredential(client, secrets.encryption)
  await client.query('commit')
  print(
    `Removed ${userKeys} users' keys, ${authenticators} authenticator apps and ${mails} mails that ENCRYPTION_KEY does not open.`,
  )
}

type Rotation = { readonly next: string; readonly env: NodeJS.ProcessEnv; readonly print: Print }

async function rotate(client: pg.Client, { secrets, dataDir }: Config, { next, env, print }: Rotation) {
  const keptIn = env.ENCRYPTION_KEY ? undefined : path.join(dataDir, 'secrets.json')
  await refuseWrongMasterKey(client, secrets.encryption)
  const { userKeys, mails } = await rotateKeys(client, secrets.encryption, next)
  await resealStarts(client, secrets.encryption, next)
  await resealCredential(client, secrets.encryption, next)
  await resealEngineSettings(client, secrets.encryption, next)
  // Saved or shown before the commit, so that a crash in between cannot lose the key.
  const staged = keptIn && stageKey(keptIn, next)
  if (!keptIn && !env.NEW_ENCRYPTION_KEY) print(`The new key:\n${next}`)
  await client.query('commit')
  if (keptIn && staged) renameSync(staged, keptIn)
  print(`Re-encrypted ${userKeys} users' keys and ${mails} mails.`)
  if (keptIn) print(`The new key is in ${keptIn}. Earlier backups need the old one.`)
  else print('Set ENCRYPTION_KEY to the new key now. Earlier backups need the old one.')
}

function stageKey(file: string, key: string): string {
  const secrets = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const staged = `${file}.new`
  writeFileSync(staged, JSON.stringify({ ...secrets, ENCRYPTION_KEY: key }, null, 2), { mode: 0o600, flush: true })
  return staged
}

if (import.meta.main) process.exitCode = await runRotateKey(process.argv.slice(2), process.env, console.log)
