import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ERASURE_FILE, parseErasures } from '../accounts/erasureList.ts'
import { proveKeys } from '../accounts/keys/proveKeys.ts'
import type { Product } from '../backups/installation.ts'
import { proveInChild } from '../backups/proveInChild.ts'
import { type BackupContext, startBackups } from '../backups/startBackups.ts'
import { installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import type { Running } from '../kernel/postgres/leased.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import type { Context } from './context.ts'
import { eraseAgain } from './eraseAgain.ts'
import { openPlace } from './openPlace.ts'
import { ENTITIES, MIGRATIONS, migrateSchema, refuseFormerData } from './schema.ts'

const PROVE_COPY = fileURLToPath(new URL('../programs/children/proveCopy.ts', import.meta.url))

/** What a restore needs of this version. */
export const PRODUCT: Product = {
  migrations: MIGRATIONS.map(({ name }) => name),
  refuseFormerData,
  openDatabase: (connection) => openDatabase(connection, ENTITIES, MIGRATIONS),
  migrate: migrateSchema,
  installLog: installEventTable,
  eraseAgain,
  proveKeys,
}

type Surroundings = Pick<Context, 'config' | 'pool' | 'clock' | 'temporaryDir'> & Pick<BackupContext, 'log'>

/** Connects the nightly copies to this installation. @param backup the settings of the copies */
export function backupsOf(
  { config, pool, clock, temporaryDir, log }: Surroundings,
  { to, keepDays }: NonNullable<Context['config']['backup']>,
): Omit<BackupContext, 'leases'> {
  const { database, dataDir, eventStore, storage } = config
  return {
    ...{ config, pool, clock, temporaryDir, log, keepDays },
    place: openPlace(to, temporaryDir),
    folder: 'folder' in to ? to.folder : undefined,
    async readErased() {
      const place = openPlace(config.headsTo, temporaryDir)
      const isListed = (await place.size(ERASURE_FILE)) !== undefined
      return isListed ? parseErasures(await text(place.read(ERASURE_FILE))) : []
    },
    prove(at, identity, signal) {
      const input = { config: { database, dataDir, eventStore, storage }, to, at, identity }
      return proveInChild(PROVE_COPY, input, temporaryDir, signal)
    },
  }
}

/** Takes and proves a copy each night. */
export const startNightlyCopies = (context: Context, backup: Parameters<typeof backupsOf>[1]): Running =>
  startBackups({ ...backupsOf(context, backup), leases: context.leases })
