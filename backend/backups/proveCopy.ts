import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'
import { type Catalogue, type CopyAt, canHold, nameOf, objectKey, readCatalogue } from './catalogue.ts'
import { fetchCopy, verifyFiles } from './fetchCopy.ts'
import type { DataPlaces, Product } from './installation.ts'
import { compareRestored } from './recovery/compareRestored.ts'
import { RecoveryError } from './recovery/manifest.ts'
import { restore } from './recovery/restore.ts'
import { DAY_MS } from './retention.ts'

/** Nights in which every media file is read once; all are looked for every night. */
const NIGHTS = 28

interface ProofOptions {
  readonly config: DataPlaces
  /** Where the copy is. */
  readonly place: ListedStore
  readonly at: CopyAt
  /** Secret key that opens the copy. */
  readonly identity: string
  /** Takes the decrypted files. The caller removes it, because the process may be killed. */
  readonly temporaryDir: string
  readonly product: Product
  /** Verifies the ledger of a database. Returns its faults, or undefined. */
  verifyLedger(target: { readonly dataDir: string; readonly databaseUrl: string }): Promise<string | undefined>
}

/**
 * Proves that a copy can be restored: restores it, from the place alone, into a new database on the installation's
 * server, compares every row with the copy, opens every user's key, verifies the ledger, and removes the database.
 * Media files are looked for, with their size; those that are due this night are read. The file of a video that the
 * installation has deleted since the copy began may be missing.
 * @throws RecoveryError naming the first fault
 */
export async function proveCopy(options: ProofOptions): Promise<void> {
  const { config, place, at, identity, temporaryDir } = options
  const catalogue = await readCatalogue(place, at, identity, temporaryDir)
  const from = { place, at, catalogue, identity }
  const media = Object.keys(catalogue.files).filter((name) => isMedia(name))
  await refuseMissing(place, at, catalogue)
  await verifyFiles(from, media.filter(isDue(catalogue, at.takenAt)))
  const backup = path.join(temporaryDir, 'backup')
  mkdirSync(backup)
  await fetchCopy(from, backup, (name) => !isMedia(name))
  await withDrillDatabase(config, (databaseUrl) =>
    proveRestored(backup, { dataDir: path.join(temporaryDir, 'data'), databaseUrl }, catalogue, options),
  )
}

const isMedia = (name: string) => name.startsWith(`media${path.sep}`)

/** Returns which files are read on the night of a copy: a share that changes from night to night. */
function isDue({ files }: Catalogue, takenAt: number) {
  const night = Math.floor(takenAt / DAY_MS) % NIGHTS
  return (name: string) => {
    const { object, changedAt } = files[name]!
    return takenAt - changedAt < 2 * DAY_MS || Number.parseInt(object.slice(0, 8), 16) % NIGHTS === night
  }
}

async function refuseMissing(place: ListedStore, at: CopyAt, { files }: Catalogue): Promise<void> {
  const stored = new Map<string, number>()
  for await (const { key, size } of place.list(`${at.folder}/objects/`)) stored.set(key, size)
  const missing = Object.entries(files)
    .filter(([, file]) => !canHold(stored.get(objectKey(at.folder, file.object)), file))
    .map(([name]) => name)
  if (missing.length > 0)
    throw new RecoveryError(
      `The copy ${nameOf(at.takenAt)} lacks ${missing.length} of its files, for example ${missing[0]}.`,
    )
}

async function proveRestored(
  backup: string,
  target: { readonly dataDir: string; readonly databaseUrl: string },
  { files, manifest }: Catalogue,
  { config, product, verifyLedger }: ProofOptions,
): Promise<void> {
  const { ENCRYPTION_KEY: key } = JSON.parse(readFileSync(path.join(backup, 'secrets.json'), 'utf8'))
  const findings = await restore(backup, target, product, (saved, connection) =>
    compareRestored(connection, target.dataDir, saved, {
      source: config,
      proveKeys: (client) => product.proveKeys(client, key),
      hasFile: (name) => name in files,
    }),
  )
  const fault = findings.find(({ wrong }) => wrong !== undefined)
  if (fault) throw new RecoveryError(`The restored copy differs: ${fault.check}: ${fault.wrong}`)
  if (manifest.log === 'EventStoreDB') return
  const unsound = await verifyLedger(target)
  if (unsound) throw new RecoveryError(`The ledger of the restored copy is not sound: ${unsound}`)
}

/** Creates a database next to the installation's, passes its URL, and removes it. */
async function withDrillDatabase(
  { database, dataDir }: DataPlaces,
  use: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const { connection, stop } = await connectDatabase({ databaseUrl: database?.url, dataDir }, () => {})
  const client = new pg.Client({ ...connection, idle_in_transaction_session_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    const own = await client.query<{ name: string }>('select current_database() as name')
    // The same name every night: what a killed process has left is removed.
    const name = `kinora-drill-of-${onlyRow(own).name.slice(0, 40)}`
    const remove = () => client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
    await remove()
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8'`)
    try {
      await use(urlOf(connection, name))
    } finally {
      await remove().catch(() => {})
    }
  } finally {
    await client.end()
    await stop()
  }
}

function urlOf({ connectionString, host, user }: pg.ClientConfig, name: string): string {
  if (!connectionString) return `postgresql://${user}@localhost/${name}?host=${encodeURIComponent(host ?? '')}`
  const url = new URL(connectionString)
  url.pathname = `/${name}`
  return url.href
}
