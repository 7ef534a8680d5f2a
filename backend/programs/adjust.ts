import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { createCredits } from '../credits/credits.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'

export const USAGE = `npm run adjust -- --user <id or e-mail> --amount <credits> --reason <words> --operator <name> [--id <id>]

Gives a user credits, or takes them with an amount below zero: never more than there are. Who did it and why is written
into the ledger for good, so the reason must name no person. The same --id is carried out once.`

class UsageError extends Error {}

/** @throws UsageError naming the argument */
function readArguments(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = { user: text, amount: text, reason: text, operator: text, id: text }
  const { values } = parse(() => parseArgs({ args: [...args], options }))
  for (const name of ['user', 'amount', 'reason', 'operator'] as const)
    if (!values[name]?.trim()) throw new UsageError(`--${name} is missing`)
  const amount = Number(values.amount)
  if (!Number.isSafeInteger(amount) || amount === 0 || Math.abs(amount) > 1_000_000)
    throw new UsageError('--amount must be a whole number of credits other than 0, a million at most')
  if (!/^[\w.-]{1,64}$/.test(values.operator!))
    throw new UsageError('--operator must be letters, digits, dots and hyphens')
  if (values.reason!.length > 200) throw new UsageError('--reason must be 200 characters at most')
  const { user, reason, operator, id = uuid7() } = values
  return { user: user!, amount, reason: reason!.trim(), operator: operator!, id }
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Carries out an operator's adjustment. @returns the exit code: 1 refused, 2 a command line that is wrong */
export async function runAdjust(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  try {
    const { user, amount, reason, operator, id } = readArguments(args)
    const dataDir = path.resolve(env.DATA_DIR || '.data')
    const databaseUrl = env.DATABASE_URL || undefined
    if (!databaseUrl && !existsSync(path.join(dataDir, 'postgres/PG_VERSION')))
      throw new UsageError(`There is no ledger in ${dataDir}: set DATA_DIR or DATABASE_URL`)
    // Where Kinora runs on the folder, its server is joined.
    const server = await connectDatabase({ databaseUrl, dataDir }, () => {})
    const pool = openPool({ ...server.connection, max: 2 })
    const store = env.EVENTSTORE_URL ? createEventStoreDb({ url: env.EVENTSTORE_URL }) : createPostgresEventStore(pool)
    try {
      const userId = await userOf(pool, user)
      const context = { commandId: derivedId('adjust', userId, id), actor: `operator:${operator}`, correlationId: id }
      await createCredits(createHandle(store)).adjust(userId, { adjustmentId: id, amount, reason }, context)
      const detail = `${amount} credits, user ${userId}, adjustment ${id}, by ${operator}: ${reason}`
      await createOperatorActions(pool).note({ action: 'credits_adjusted', detail, ip: null })
      print(`${amount > 0 ? 'Gave' : 'Took'} ${Math.abs(amount)} credits: user ${userId}, adjustment ${id}`)
      return 0
    } finally {
      await store.close()
      await pool.end()
      await server.stop()
    }
  } catch (error) {
    if (error instanceof UsageError) print(`${error.message}\n\n${USAGE}`)
    else if (error instanceof Rejection) print(error.message)
    else throw error
    return error instanceof UsageError ? 2 : 1
  }
}

async function userOf(pool: pg.Pool, user: string): Promise<string> {
  const by = isUuid(user) ? 'id' : 'email'
  const { rows } = await pool.query<{ id: string }>(`select id from user_account where ${by} = $1`, [
    user.toLowerCase(),
  ])
  if (!rows[0]) throw new UsageError(`--user: nobody here is ${user}`)
  return rows[0].id
}

if (import.meta.main) process.exitCode = await runAdjust(process.argv.slice(2), process.env, console.log)
