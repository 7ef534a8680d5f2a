import type { EntityManager } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Outbox } from '../kernel/outbox/outbox.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import { type Transaction, transaction } from '../kernel/postgres/transaction.ts'
import type { Clock } from '../kernel/time.ts'
import { type EventType, MAX_ENDPOINTS, type WebhookChange, type WebhookOrder } from './contract.ts'
import { makeSecret } from './signature.ts'

/** Why an endpoint is off. */
type Cause = 'owner' | 'gone' | 'failing'

/** A row of the table `webhook_endpoint`, without its secrets. */
export interface EndpointRow {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly url: string
  readonly event_types: EventType[]
  readonly hint: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly disabled_because: Cause | null
  readonly failing_since: Date | null
}

type About = Readonly<{ purpose: string; userId: string; row: string }>
interface Cipher {
  encrypt(about: About, text: string): Promise<string>
  decrypt(about: About, sealed: string): Promise<string | undefined>
}

const COLUMNS = 'id, user_id, name, url, event_types, hint, created_at, updated_at, disabled_because, failing_since'
const OVERLAP = "interval '24 hours'"
/** Time of failures only after which the owner is warned, and after which the endpoint is switched off. */
const WARNED_AFTER = "interval '3 days'"
const OFF_AFTER = "interval '5 days'"
/** Shortest time from the warning to the end. */
const NOTICE = "interval '1 day'"

/** Changes what is given. A new address or switching on forgets earlier failures. */
const UPDATE = `update webhook_endpoint set name = coalesce($3, name), url = coalesce($4, url),
  event_types = coalesce($5, event_types), updated_at = $6,
  disabled_because = case $7::boolean when true then null when false then coalesce(disabled_because, 'owner')
  else disabled_because end,
  failing_since = case when $7 or $4 <> url then null else failing_since end,
  warned_at = case when $7 or $4 <> url then null else warned_at end
  where user_id = $1 and id = $2 returning ${COLUMNS}`

const aboutSecret = (userId: string, id: string): About => ({ purpose: 'webhook secret', userId, row: id })
const notFound = () => new Rejection('not_found', 'There is no webhook endpoint with this id.', { param: 'id' })
const idOrNull = (id: string) => (isUuid(id) ? id : null)

/** Turns off the endpoints of a user that were added or changed after a time, in the caller's transaction. */
export const turnOffAfter = (tx: EntityManager, userId: string, after: Date) =>
  query(
    tx,
    `update webhook_endpoint set disabled_because = 'owner'
     where user_id = $1 and updated_at > $2 and disabled_because is null`,
    [userId, after],
  )

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>

/**
 * Creates the store of the addresses that receive webhooks. Secrets are encrypted with the owner's key. Each function that
 * takes a user's id finds the endpoints of this user only.
 */
export function createWebhookEndpoints(
  { database, pool }: { readonly database: Database; readonly pool: pg.Pool },
  clock: Clock,
  cipher: Cipher,
  outbox: Pick<Outbox, 'removeTarget'>,
) {
  const now = () => new Date(clock())
  const one = async (sql: string, values: unknown[]): Promise<EndpointRow> => {
    const { rows } = await pool.query<EndpointRow>(sql, values)
    if (!rows[0]) throw notFound()
    return rows[0]
  }
  /** Returns a new secret as it is stored. */
  const newSecret = async (userId: string, id: string) => {
    const secret = makeSecret()
    return { secret, hint: secret.slice(-5, -1), sealed: await cipher.encrypt(aboutSecret(userId, id), secret) }
  }

  return {
    ...createDeliveryState(pool, now, cipher),

    /** @throws Rejection too_many_endpoints */
    async create(userId: string, order: WebhookOrder) {
      const id = uuid7(clock())
      const { secret, hint, sealed } = await newSecret(userId, id)
      await transaction(database, (tx) => insert(tx, { id, userId, sealed, hint, at: now() }, order))
      return { row: await this.read(userId, id), secret }
    },

    /** Returns a user's endpoints, newest first. */
    list: async (userId: string): Promise<EndpointRow[]> =>
      (
        await pool.query<EndpointRow>(`select ${COLUMNS} from webhook_endpoint where user_id = $1 order by id desc`, [
          userId,
        ])
      ).rows,

    /** @throws Rejection not_found */
    read: (userId: string, id: string) =>
      one(`select ${COLUMNS} from webhook_endpoint where user_id = $1 and id = $2`, [userId, idOrNull(id)]),

    /** @throws Rejection not_found */
    update: (userId: string, id: string, { name, url, event_types, enabled }: WebhookChange) =>
      one(UPDATE, [userId, idOrNull(id), name ?? null, url ?? null, event_types ?? null, now(), enabled ?? null]),

    /** Makes another secret. The former one goes on signing for 24 hours, or ends now. @throws Rejection not_found */
    async rotate(userId: string, id: string, keepsFormer: boolean) {
      await this.read(userId, id)
      const { secret, hint, sealed } = await newSecret(userId, id)
      const row = await one(
        `update webhook_endpoint set secret = $3, hint = $4, updated_at = $5,
           former_secret = case when $6::boolean then secret end, former_until = case when $6 then $5::timestamptz + ${OVERLAP} end
         where user_id = $1 and id = $2 returning ${COLUMNS}`,
        [userId, id, sealed, hint, now(), keepsFormer],
      )
      return { row, secret }
    },

    /** Deletes an endpoint and its deliveries. @throws Rejection not_found */
    async remove(userId: string, id: string): Promise<void> {
      await one(`delete from webhook_endpoint where user_id = $1 and id = $2 returning ${COLUMNS}`, [
        userId,
        idOrNull(id),
      ])
      await outbox.removeTarget(pool, id)
    },
  }
}

interface NewEndpoint {
  readonly id: string
  readonly userId: string
  readonly sealed: string
  readonly hint: string
  readonly at: Date
}

/** Stores an endpoint. The lock makes concurrent calls of a user wait, so that the limit holds. */
async function insert(tx: Transaction, { id, userId, sealed, hint, at }: NewEndpoint, order: WebhookOrder) {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks of ${userId}`])
  const added = await tx.query(
    `insert into webhook_endpoint (id, user_id, name, url, event_types, secret, hint, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $8
     where (select count(*) from webhook_endpoint where user_id = $2) < ${MAX_ENDPOINTS} returning id`,
    [id, userId, order.name, order.url, order.event_types, sealed, hint, at],
  )
  if (added.length === 0)
    throw new Rejection('too_many_endpoints', `You have ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`)
}

/** Creates what deliveries need. */
function createDeliveryState(pool: pg.Pool, now: () => Date, cipher: Cipher) {
  return {
    /** Returns the endpoints of users that are on, with the types that they receive. */
    async subscribed(userIds: readonly string[]) {
      const sql = `select id, user_id, event_types from webhook_endpoint
        where user_id = any ($1::uuid[]) and disabled_because is null`
      return (await pool.query<Pick<EndpointRow, 'id' | 'user_id' | 'event_types'>>(sql, [userIds])).rows
    },

    /** Returns an endpoint with the secrets that sign now, the newest first; undefined if it was deleted. */
    async open(id: string) {
      type Row = EndpointRow & { readonly secret: string; readonly former_secret: string | null }
      const { rows } = await pool.query<Row>(
        `select ${COLUMNS}, secret, case when former_until > $2 then former_secret end as former_secret
         from webhook_endpoint where id = $1`,
        [id, now()],
      )
      const [row] = rows
      if (!row) return undefined
      const { secret, former_secret, ...endpoint } = row
      const sealed = former_secret === null ? [secret] : [secret, former_secret]
      const about = aboutSecret(row.user_id, id)
      const secrets = await Promise.all(sealed.map((each) => cipher.decrypt(about, each)))
      return { ...endpoint, secrets: secrets.filter((each) => each !== undefined) }
    },

    /** Records that an endpoint took a webhook. */
    async succeeded(id: string): Promise<void> {
      const sql =
        'update webhook_endpoint set failing_since = null, warned_at = null where id = $1 and failing_since is not null'
      await pool.query(sql, [id])
    },

    /** Records a failure. Returns what became of the endpoint with it: its owner should be warned, or it is off. */
    async failed(id: string): Promise<'warn' | 'off' | undefined> {
      const at = now()
      await pool.query('update webhook_endpoint set failing_since = $2 where id = $1 and failing_since is null', [
        id,
        at,
      ])
      const off = await pool.query(
        `update webhook_endpoint set disabled_because = 'failing' where id = $1 and disabled_because is null
           and failing_since <= $2::timestamptz - ${OFF_AFTER} and warned_at <= $2::timestamptz - ${NOTICE}`,
        [id, at],
      )
      if (off.rowCount) return 'off'
      const warned = await pool.query(
        `update webhook_endpoint set warned_at = $2 where id = $1 and disabled_because is null
           and failing_since <= $2::timestamptz - ${WARNED_AFTER} and warned_at is null`,
        [id, at],
      )
      return warned.rowCount ? 'warn' : undefined
    },

    /** Switches an endpoint off that answered 410. Returns false if it was off, or has another address now. */
    async gone({ id, url }: Pick<EndpointRow, 'id' | 'url'>): Promise<boolean> {
      const sql = `update webhook_endpoint set disabled_because = 'gone'
        where id = $1 and url = $2 and disabled_because is null`
      return Boolean((await pool.query(sql, [id, url])).rowCount)
    },
  }
}
