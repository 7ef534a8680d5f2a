import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { readChainHeads } from '#projections/credits/chainHead.ts'
import { readCheckpoints, readRows } from '#projections/engine/readRows.ts'
import { openYearKeys } from '../../accounts/keys/yearKeys.ts'
import { findUserId, readWelcomedUsers } from '../../accounts/readUsers.ts'
import { ConfigError, parseEnvironment } from '../../app/config/environment.ts'
import { readSecrets } from '../../app/config/secrets.ts'
import { withFiles } from '../../app/config/settingFiles.ts'
import type { Head } from '../../audit/hashChain.ts'
import { readInThread } from '../../audit/readInThread.ts'
import type { AuditedLedger, LedgerSnapshot } from '../../audit/runCommand.ts'
import { readZeros } from '../../audit/zero/startZeros.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { readLogGaps, readLogHead } from '../../kernel/eventsourcing/postgres/logGaps.ts'
import { AUDITED_MODELS } from './auditedModels.ts'
import { connectInstallation, NoLedger } from './connectInstallation.ts'
import { hashStoredVideo } from './hashStoredVideo.ts'
import { listProviderSales } from './listProviderSales.ts'
import { openReadOnly } from './openStore.ts'

/** SQLSTATE of a table that does not exist. */
const UNDEFINED_TABLE = '42P01'

/** Opens the ledger of the configured installation for reading. @throws NoLedger, ConfigError, StoreUnavailable, StoreRejected */
export async function openLedger(env: NodeJS.ProcessEnv): Promise<AuditedLedger & { close(): Promise<void> }> {
  const { dataDir, auditKeyFile, place, stop } = await connectInstallation(env)
  const { pool, store, close: closeStore } = await openReadOnly(place)
  const close = async () => {
    await closeStore()
    await stop()
  }
  const logIsInPostgres = !place.eventStore
  try {
    await readCheckpoints(pool)
    if (logIsInPostgres) await readLogHead(pool)
    // A cluster that cannot be reached is reported here, before an export creates a file.
    else await store.head()
  } catch (error) {
    await close()
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error
    throw new NoLedger('The database holds no ledger of Kinora.')
  }
  return {
    store,
    models: AUDITED_MODELS,
    dataDir,
    auditKeyFile,
    pages: () => readInThread(new URL('./readThread.ts', import.meta.url), place),
    takeSnapshot: () => takeSnapshot(pool, store),
    openSales: () => listProviderSales(env, pool),
    openVideos: () => hashStoredVideo(env, dataDir),
    logState: logIsInPostgres ? () => readLogState(pool) : undefined,
    openTexts: () => openTexts(env, pool, dataDir),
    findUserId: (email) => findUserId(pool, email),
    close,
  }
}

/** @throws ConfigError the key of the installation is not configured, or is another */
async function openTexts(given: NodeJS.ProcessEnv, pool: pg.Pool, dataDir: string) {
  const env = parseEnvironment(withFiles(given))
  if (env.ENCRYPTION_KEY === undefined && !existsSync(path.join(dataDir, 'secrets.json')))
    throw new ConfigError('ENCRYPTION_KEY is not set')
  return await openYearKeys(pool, readSecrets(env, dataDir).encryption).catch((cause) => {
    throw new ConfigError('ENCRYPTION_KEY does not open the keys of invoices', { cause })
  })
}

/** Time for live read models to include the last events before the snapshot, ms. */
const CATCH_UP_MS = 1_000
/** A projection that runs reports every two seconds that it is at the head of the log. */
const RUNS_MS = 5_000

/** Opens a consistent snapshot of all read models. */
async function takeSnapshot(pool: pg.Pool, store: EventStore): Promise<LedgerSnapshot> {
  const head = await store.head()
  for (const until = Date.now() + CATCH_UP_MS; head !== undefined && Date.now() < until; await delay(50)) {
    const audited = (await readCheckpoints(pool)).filter(({ name }) =>
      AUDITED_MODELS.some((model) => model.name === name),
    )
    const runs = audited.some(({ liveAt }) => liveAt !== null && liveAt.getTime() > Date.now() - RUNS_MS)
    if (!runs || audited.every(({ position }) => position !== null && position >= head)) break
  }
  const client = await pool.connect()
  await client.query('begin isolation level repeatable read read only')
  return {
    head,
    rows: (table) => readRows(client, table),
    async checkpoint(model) {
      return (await readCheckpoints(client)).find(({ name }) => name === model)
    },
    welcomed: () => readWelcomedUsers(client),
    zeros: () => readZeros(client, null),
    async heads() {
      const heads = new Map<string, Head>()
      for await (const { event_id: id, stream, revision, hash } of readChainHeads(client))
        heads.set(stream, { stream, revision, id, hash })
      return { by: 'The table chain_head', heads }
    },
    async close() {
      // A connection that was lost must be released too: closing the pool waits for it.
      await client.query('rollback').then(
        () => client.release(),
        (error) => client.release(error),
      )
    },
  }
}

/** Reads the checkpoints before the head, so that no checkpoint is beyond the head. */
async function readLogState(pool: pg.Pool) {
  const checkpoints = await readCheckpoints(pool)
  return { checkpoints, head: await readLogHead(pool), gaps: await readLogGaps(pool) }
}
