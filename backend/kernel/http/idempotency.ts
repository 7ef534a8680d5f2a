import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { canonicalJson } from '../eventsourcing/pure/eventHash.ts'
import { uuid7 } from '../eventsourcing/uuid7.ts'
import type { Database } from '../postgres/orm.ts'
import { query } from '../postgres/query.ts'
import { ValidationError } from './problemDetails.ts'

const RETENTION = "interval '24 hours'"
/** Age at which an open attempt counts as crashed, so that its key may be reused with another body. */
const ABANDONED_AFTER = "interval '60 seconds'"

/** Length of the longest accepted key. */
const MAX_KEY_LENGTH = 200

/**
 * Returns the request's `Idempotency-Key`; undefined if it has none.
 * @throws ValidationError too_long
 * @example const key = idempotencyKeyOf(ctx)
 */
export function idempotencyKeyOf(ctx: Pick<Context, 'get'>): string | undefined {
  const key = ctx.get('Idempotency-Key') || undefined
  if (key && key.length > MAX_KEY_LENGTH) throw new ValidationError([{ path: 'Idempotency-Key', code: 'too_long' }])
  return key
}

type Attempt = { subject_id: string; body_hash: string; state: 'open' | 'accepted' | 'refused' }

interface Keyed {
  readonly userId: string
  /** Undefined: the client does not retry. */
  readonly key: string | undefined
  readonly body: unknown
  /** Without a key: the subject to create, and whether this is a retry. */
  readonly subject?: Readonly<{ id: string; isRetry: boolean }>
  /** Returns whether an error means that the subject can never be created, which releases the key. */
  readonly isLost?: (error: unknown) => boolean
}

/**
 * Runs a command once per idempotency key and user. `run` receives the id of the subject to create, the same for every
 * retry with the same body, and whether it is a retry. It must be idempotent because retries may run concurrently. Keys
 * are kept for 24 hours.
 * Without a key, nothing is stored: each call creates the given subject, or one of its own.
 * @throws Rejection idempotency_key_reused, idempotency_in_progress if the key belongs to another body
 * @example await withIdempotencyKey(database, { userId, key, body }, (taskId) => submit(taskId, body))
 */
export async function withIdempotencyKey<T>(
  database: Database,
  keyed: Keyed,
  run: (subjectId: string, isRetry: boolean) => Promise<T>,
): Promise<T> {
  const { userId, key, body, subject = { id: uuid7(), isRetry: false }, isLost = () => false } = keyed
  if (key === undefined) return run(subject.id, subject.isRetry)
  const bodyHash = createHash('sha256').update(canonicalJson(body)).digest('hex')
  const execute = <R extends object>(sql: string, parameters: unknown[]) => query<R>(database, sql, parameters)

  const fresh = uuid7()
  const [stored] = await execute<Attempt>(
    `insert into idempotency_key (user_id, key, body_hash, subject_id, state, updated_at) values ($1, $2, $3, $4, 'open', now())
     on conflict (user_id, key) do update
       set body_hash = excluded.body_hash, subject_id = excluded.subject_id, state = 'open', updated_at = now()
       where idempotency_key.updated_at < now() - ${RETENTION}
          or idempotency_key.body_hash <> excluded.body_hash and (idempotency_key.state = 'refused'
             or idempotency_key.state = 'open' and idempotency_key.updated_at < now() - ${ABANDONED_AFTER})
     returning subject_id, body_hash, state`,
    [userId, key, bodyHash, fresh],
  )
  const known = 'select subject_id, body_hash, state from idempotency_key where user_id = $1 and key = $2'
  const attempt = stored ?? (await execute<Attempt>(known, [userId, key]))[0]
  // A concurrent attempt released the key between the two statements.
  if (!attempt) return withIdempotencyKey(database, keyed, run)
  const { subject_id: subjectId, body_hash, state } = attempt
  if (body_hash !== bodyHash) {
    if (state === 'open')
      throw new Rejection('idempotency_in_progress', 'Another request with this key has not been answered yet.')
    throw new Rejection('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
  }
  const settle = (to: 'accepted' | 'refused') =>
    execute(
      `update idempotency_key set state = $1, updated_at = now()
       where user_id = $2 and key = $3 and subject_id = $4 and state <> 'accepted'`,
      [to, userId, key, subjectId],
    )
  try {
    const result = await run(subjectId, subjectId !== fresh)
    await settle('accepted')
    return result
  } catch (error) {
    const release = 'delete from idempotency_key where user_id = $1 and key = $2 and subject_id = $3'
    if (isLost(error)) await execute(release, [userId, key, subjectId])
    else if (error instanceof Rejection) await settle('refused')
    throw error
  }
}

export const deleteExpiredIdempotencyKeys = (database: Database) =>
  query(database, `delete from idempotency_key where updated_at < now() - ${RETENTION}`)

/** Deletes a user's idempotency keys when the account is erased. */
export const eraseIdempotencyKeys = (database: Database, userId: string) =>
  query(database, 'delete from idempotency_key where user_id = $1', [userId])
