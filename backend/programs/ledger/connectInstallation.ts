import { existsSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../../app/config/environment.ts'
import { readEventStore } from '../../app/config/eventStoreConfig.ts'
import { withFiles } from '../../app/config/settingFiles.ts'
import { connectDatabase } from '../../kernel/postgres/connect.ts'
import { isDatabaseUrl, NO_DATABASE_URL } from '../../kernel/postgres/databaseUrl.ts'
import type { LedgerPlace } from './openStore.ts'

/** Thrown if no installation is configured or its database has no ledger. */
export class NoLedger extends Error {
  override name = 'NoLedger'
}

/** @throws NoLedger neither a database nor a data folder with one is configured */
export function refuseNoInstallation(given: NodeJS.ProcessEnv): void {
  const { DATA_DIR, DATABASE_URL } = withFiles(given)
  const dataDir = path.resolve(DATA_DIR || '.data')
  if (!DATABASE_URL && !existsSync(path.join(dataDir, 'postgres/PG_VERSION')))
    throw new NoLedger(`There is no ledger in ${dataDir}: set DATA_DIR or DATABASE_URL.`)
}

/**
 * Connects to the database of the configured installation, starting its embedded server if necessary.
 * @throws NoLedger, ConfigError, CannotConnect
 */
export async function connectInstallation(given: NodeJS.ProcessEnv) {
  const env = withFiles(given)
  const dataDir = path.resolve(env.DATA_DIR || '.data')
  const databaseUrl = env.DATABASE_URL || undefined
  refuseNoInstallation(given)
  if (databaseUrl && !isDatabaseUrl(databaseUrl)) throw new ConfigError(`DATABASE_URL ${NO_DATABASE_URL}`)
  const eventStore = readEventStore(env)
  const { connection, stop } = await connectDatabase({ databaseUrl, dataDir }, () => {})
  const place: LedgerPlace = { postgres: connection, eventStore }
  return { dataDir, auditKeyFile: env.AUDIT_KEY_FILE || undefined, place, stop }
}
