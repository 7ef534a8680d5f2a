import { existsSync } from 'node:fs'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type CreditBalanceRow, creditBalances } from '#projections/credits/creditBalance.ts'
import { type CreditEntryRow, creditEntries } from '#projections/credits/creditEntry.ts'
import { type AnyProjection, applied } from '#projections/engine/projection.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { type InvoiceRow, invoices } from '#projections/subscriptions/invoice.ts'
import { type AuditedLedger, carryOut, NotFound } from '../audit/carryOut.ts'
import { readCommand, USAGE, UsageError } from '../audit/command.ts'
import { hashInThread } from '../audit/hashInThread.ts'
import { positionGaps, takeSnapshot } from '../audit/postgresEvidence.ts'
import type { AuditedModel } from '../audit/readModelProof.ts'
import { CREDIT_ACCOUNT } from '../credits/events.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { SUBSCRIPTION } from '../subscriptions/events.ts'
import { openLedgerStore } from './auditStore.ts'

/** A read model as the audit folds it. */
function audited<Row extends object>(
  projection: AnyProjection,
  placeOf: (row: Row) => { stream: string; revision: number | null },
): AuditedModel {
  return {
    name: projection.name,
    version: projection.version,
    table: tableName(projection),
    // Only credits and subscriptions are read, and an event's type is unique.
    knows: ({ type }) => type in projection.on,
    rowId: (event) => projection.row(event),
    fold: (row, event) => applied(projection, row, event),
    placeOf: placeOf as AuditedModel['placeOf'],
  }
}

const ofAccount = (userId: string, revision: number | null) => ({ stream: `${CREDIT_ACCOUNT}-${userId}`, revision })

/** What the verification compares row for row. The table chain_head is held against the chains themselves. */
const AUDITED_MODELS: readonly AuditedModel[] = [
  audited<CreditBalanceRow>(creditBalances, ({ id }) => ofAccount(id, null)),
  audited<CreditEntryRow>(creditEntries, ({ user_id, revision }) => ofAccount(user_id, revision)),
  audited<InvoiceRow>(invoices, ({ user_id }) => ({ stream: `${SUBSCRIPTION}-${user_id}`, revision: null })),
]

/** Opens the ledger that the environment names, to read. @throws Error there is none */
async function openLedger(env: NodeJS.ProcessEnv): Promise<AuditedLedger & { close(): Promise<void> }> {
  const dataDir = path.resolve(env.DATA_DIR || '.data')
  const databaseUrl = env.DATABASE_URL || undefined
  if (!databaseUrl && !existsSync(path.join(dataDir, 'postgres/PG_VERSION')))
    throw new NotFound(`There is no ledger in ${dataDir}: set DATA_DIR or DATABASE_URL.`)
  // Where Kinora runs on the folder, its server is joined.
  const server = await connectDatabase({ databaseUrl, dataDir }, () => {})
  const place = { postgres: server.connection, eventStoreDb: env.EVENTSTORE_URL || undefined }
  const { pool, store, close: leave } = openLedgerStore(place)
  const close = async () => {
    await leave()
    await server.stop()
  }
  try {
    const { rows } = await pool.query(
      `select to_regclass('event') as event, to_regclass('projection_checkpoint') as read`,
    )
    const inPostgres = !place.eventStoreDb
    if (!rows[0].read || (inPostgres && !rows[0].event)) throw new NotFound('The database holds no ledger of Kinora.')
    return {
      store,
      models: AUDITED_MODELS,
      dataDir,
      hashed: () => hashInThread(new URL('./auditThread.ts', import.meta.url), place),
      snapshot: () => takeSnapshot(pool),
      gaps: inPostgres ? () => positionGaps(pool) : undefined,
      async userOf(email) {
        const found = await pool.query<{ id: string }>('select id from user_account where email = $1', [
          email.toLowerCase(),
        ])
        return found.rows[0]?.id
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
}

/** The program for auditors. @returns its exit code: 1 deviations or a fault, 2 a command line that is wrong */
export async function runAudit(args: readonly string[], { env, print, complain }: Surroundings): Promise<number> {
  try {
    const command = readCommand(args)
    if (command.name === 'help') {
      print(USAGE)
      return 0
    }
    const ledger = await openLedger(env)
    try {
      return await carryOut(command, ledger, print)
    } finally {
      await ledger.close()
    }
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`${error.message}\n\n${USAGE}`)
      return 2
    }
    complain(error instanceof NotFound ? error.message : String((error as Error).stack ?? error))
    return 1
  }
}

if (import.meta.main) {
  // Pages of the log are garbage soon after they are read: with room for several, little of it is looked at.
  setFlagsFromString('--max-semi-space-size=64')
  setFlagsFromString('--min-semi-space-size=32')
  const write = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(`${text}\n`)
  const { env, argv } = process
  process.exitCode = await runAudit(argv.slice(2), {
    env,
    print: write(process.stdout),
    complain: write(process.stderr),
  })
}
