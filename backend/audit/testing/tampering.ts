import type pg from 'pg'
import { chainStart, derivedId, eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from './seedLedger.ts'

export interface Named {
  readonly check: string
  readonly stream?: string | null
  readonly revision?: number | null
  readonly id?: string
  readonly wrong: RegExp
}

export interface Tampering {
  readonly what: string
  readonly does: (pool: pg.Pool) => Promise<unknown>
  readonly names: readonly Named[]
}

const { buyer, other, sale } = LEDGER
const account = `creditAccount-${buyer}`
const others = `creditAccount-${other}`
const subscription = `subscription-${buyer}`
const delivered = `videoTask-${LEDGER.finished}`
const waiting = `videoTask-${LEDGER.open}`
const deliveredToOther = `videoTask-${LEDGER.spentByOther}`

const at = (stream: string, revision: number) => `where stream = '${stream}' and revision = ${revision}`
const sql = (text: string) => (pool: pg.Pool) => pool.query(text)

/** Appends an event with a correct chain hash. */
async function forge(
  pool: pg.Pool,
  { stream, type, data, meta = {} }: { stream: string; type: string; data: object; meta?: object },
) {
  const { rows } = await pool.query(
    `select event.*, revision::int as revision from event where stream = $1 order by event.revision desc limit 1`,
    [stream],
  )
  const last = rows[0]
  const revision = last ? last.revision + 1 : 0
  const chain = { previousHash: last ? eventHash(last) : chainStart(stream) }
  await pool.query(`insert into event select max(position) + 1, $1, $2, $3, $4, $5, $6, now() from event`, [
    stream,
    revision,
    derivedId('forged', stream, revision),
    type,
    data,
    { actor: 'system', ...chain, ...meta },
  ])
}

/** Swaps revisions 3 and 4 of the buyer's account in the log, and optionally in the stream. */
const swap = (inStream: boolean) => async (pool: pg.Pool) => {
  const { rows } = await pool.query<{ id: string; revision: string; position: string }>(
    `select id, revision, position from event where stream = '${account}' and revision in (3, 4) order by revision`,
  )
  const [one, two] = [rows[0]!, rows[1]!]
  const put = (id: string, revision: string, position: string) =>
    pool.query('update event set revision = $2, position = $3 where id = $1', [id, revision, position])
  const revisionOf = (own: string, others: string) => (inStream ? others : own)
  await put(one.id, inStream ? '-1' : one.revision, '-1')
  await put(two.id, revisionOf(two.revision, one.revision), one.position)
  await put(one.id, revisionOf(one.revision, two.revision), two.position)
}

const grant = (userId: string, lotId: string, source: string, more: object = {}) => ({
  stream: `creditAccount-${userId}`,
  type: 'CreditLotGranted',
  data: { userId, lotId, source, amount: 100, expiresAt: null, at: '2026-01-10T13:00:00.000Z', ...more },
})

/** Manipulations of the database, each with the findings that an audit must report. */
export const TAMPERINGS: readonly Tampering[] = [
  {
    what: 'one byte of an event',
    does: sql(`update event set data = jsonb_set(data, '{reason}', '"not deliverad"') ${at(account, 5)}`),
    names: [
      { check: 'chain', stream: account, revision: 5, wrong: /was changed/ },
      {
        check: 'read model',
        stream: account,
        revision: 5,
        wrong: /reason is "not delivered", by the log "not deliverad"/,
      },
    ],
  },
  {
    what: 'an amount',
    does: sql(`update event set data = jsonb_set(data, '{amount}', '1000') ${at(account, 1)}`),
    names: [
      { check: 'chain', stream: account, revision: 1, wrong: /was changed/ },
      { check: 'grant', stream: account, revision: 1, wrong: /grants 1000 credits; the sale brings 100/ },
      { check: 'read model', stream: account, revision: 1, wrong: /credit_entry: amount is 100, by the log 1000/ },
    ],
  },
  {
    what: 'an amount that was held',
    does: sql(`update event set data = jsonb_set(data, '{parts,0,amount}', '3') ${at(account, 4)}`),
    names: [
      { check: 'chain', stream: account, revision: 4, wrong: /was changed/ },
      { check: 'postings', stream: account, revision: 5, wrong: /sum to 27/ },
    ],
  },
  {
    what: 'a deleted event',
    does: sql(`delete from event ${at(account, 3)}`),
    names: [
      { check: 'chain', stream: account, revision: 3, wrong: /missing/ },
      { check: 'log', stream: null, wrong: /is missing/ },
    ],
  },
  {
    what: 'the deleted last event of a stream',
    does: sql(`delete from event ${at(others, 2)}`),
    names: [
      { check: 'chain', stream: others, revision: 2, wrong: /chain_head remembers this event/ },
      { check: 'log', stream: null, wrong: /is missing/ },
    ],
  },
  {
    what: 'the deleted last event of the log',
    does: sql(`delete from event ${at(waiting, 0)}`),
    names: [
      { check: 'chain', stream: waiting, revision: 0, wrong: /chain_head remembers this event/ },
      { check: 'log', stream: null, wrong: /creditBalances has read the log up to here/ },
    ],
  },
  {
    what: 'a deleted stream',
    does: sql(`delete from event where stream = '${others}'`),
    names: [{ check: 'chain', stream: others, revision: 2, wrong: /its stream is gone/ }],
  },
  {
    what: 'two events whose contents were swapped',
    does: swap(true),
    names: [
      { check: 'chain', stream: account, revision: 3, wrong: /neither carries the hash/ },
      { check: 'chain', stream: account, revision: 4, wrong: /neither carries the hash/ },
    ],
  },
  {
    what: 'two events in the wrong order in the log',
    does: swap(false),
    names: [{ check: 'chain', stream: account, revision: 3, wrong: /it follows 4/ }],
  },
  {
    what: 'a changed hash in the metadata',
    does: sql(`update event set meta = jsonb_set(meta, '{previousHash}', '"${'0'.repeat(64)}"') ${at(account, 4)}`),
    names: [{ check: 'chain', stream: account, revision: 4, wrong: /neither carries the hash/ }],
  },
  {
    what: 'another actor',
    does: sql(`update event set meta = jsonb_set(meta, '{actor}', '"operator:bob"') ${at(account, 6)}`),
    names: [{ check: 'chain', stream: account, revision: 6, wrong: /was changed/ }],
  },
  {
    what: 'another actor of the last event',
    does: sql(`update event set meta = jsonb_set(meta, '{actor}', '"operator:bob"') ${at(account, 8)}`),
    names: [{ check: 'chain', stream: account, revision: 8, wrong: /chain_head remembers another hash/ }],
  },
  {
    what: 'a byte of a sale',
    does: sql(`update event set data = jsonb_set(data, '{currency}', '"USE"') ${at(subscription, 2)}`),
    names: [
      { check: 'chain', stream: subscription, revision: 2, wrong: /was changed/ },
      { check: 'read model', stream: subscription, revision: null, wrong: /invoice: currency is "USD"/ },
    ],
  },
  {
    what: 'a deleted sale',
    does: sql(`delete from event ${at(subscription, 2)}`),
    names: [
      { check: 'chain', stream: subscription, revision: 2, wrong: /missing/ },
      { check: 'grant', stream: account, revision: 1, wrong: /No sale SALE-1/ },
    ],
  },
  {
    what: 'a forged event at the end of a stream',
    does: (pool) =>
      forge(pool, {
        ...grant(buyer, 'x', 'adjustment', { reason: 'x' }),
        meta: { actor: 'operator:eve', previousHash: 'f'.repeat(64) },
      }),
    names: [{ check: 'chain', stream: account, revision: 9, wrong: /does not carry the hash of the event before/ }],
  },
  {
    what: 'a doubled free grant, well chained',
    does: (pool) => forge(pool, grant(other, 'again', 'free')),
    names: [{ check: 'grant', stream: others, revision: 3, wrong: /granted before/ }],
  },
  {
    what: 'a doubled grant of a sale, well chained',
    does: (pool) => forge(pool, grant(buyer, `sale-${sale}`, 'subscription', { reference: sale })),
    names: [
      { check: 'grant', stream: account, revision: 9, wrong: /sale SALE-1 was granted before/ },
      { check: 'postings', stream: account, revision: 9, wrong: /lot sale-SALE-1 was granted before/ },
    ],
  },
  {
    what: 'a grant without a sale, well chained',
    does: (pool) => forge(pool, grant(buyer, 'sale-NONE', 'subscription', { reference: 'NONE' })),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /No sale NONE/ }],
  },
  {
    what: "a grant for another user's sale, well chained",
    does: (pool) => forge(pool, grant(other, `sale-${sale}`, 'subscription', { reference: sale })),
    names: [{ check: 'grant', stream: others, revision: 3, wrong: /No sale SALE-1 of this user/ }],
  },
  {
    what: 'an adjustment without an operator, well chained',
    does: (pool) => forge(pool, grant(buyer, 'gift', 'adjustment', { reason: 'a gift' })),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /who is not an operator/ }],
  },
  {
    what: 'credits given back for a dispute that was not won, well chained',
    does: (pool) =>
      forge(pool, {
        stream: account,
        type: 'CreditsRestored',
        data: {
          userId: buyer,
          restorationId: 'd',
          lotId: `sale-${sale}`,
          amount: 5,
          newLotId: 'restored-d',
          at: '2026-01-10T13:00:00.000Z',
        },
      }),
    names: [{ check: 'grant', stream: account, revision: 9, wrong: /No dispute won d about this lot's sale/ }],
  },
  {
    what: 'a debt without a reversal, well chained',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsReversed',
        data: {
          userId: other,
          reversalId: 'r',
          lotId: 'x',
          parts: [],
          debt: 5,
          reason: 'refund',
          at: '2026-01-10T13:00:00.000Z',
        },
      }),
    names: [
      { check: 'grant', stream: others, revision: 3, wrong: /No reversal r/ },
      { check: 'postings', stream: others, revision: 3, wrong: /There is no lot x/ },
    ],
  },
  {
    what: 'a video that is paid twice, well chained',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsCaptured',
        data: { userId: other, holdId: LEDGER.spentByOther, at: '2026-01-10T13:00:00.000Z' },
      }),
    names: [{ check: 'postings', stream: others, revision: 3, wrong: /No credits are held/ }],
  },
  {
    what: 'an event with incomplete data',
    does: (pool) => forge(pool, { stream: others, type: 'CreditsHeld', data: { userId: other } }),
    names: [{ check: 'postings', stream: others, revision: 3, wrong: /cannot be read/ }],
  },
  {
    what: 'a hold that has been open for more than a day, although the store says that it is new',
    does: (pool) =>
      forge(pool, {
        stream: others,
        type: 'CreditsHeld',
        data: {
          userId: other,
          holdId: LEDGER.open,
          parts: [{ lotId: derivedId('free', other), amount: 30 }],
          at: new Date(Date.now() - 25 * 3_600_000).toISOString(),
        },
      }),
    names: [{ check: 'hold', stream: others, revision: 3, wrong: /open for more than a day/ }],
  },
  {
    what: 'a sale without credits, although the store says that it is new',
    does: async (pool) => {
      const { rows } = await pool.query(`select data from event ${at(subscription, 2)}`)
      const old = { saleId: 'SALE-3', at: new Date(Date.now() - 25 * 3_600_000).toISOString() }
      await forge(pool, { stream: subscription, type: 'SubscriptionPaid', data: { ...rows[0].data, ...old } })
    },
    names: [{ check: 'grant', stream: subscription, wrong: /SALE-3 was paid, but its 100 credits were not granted/ }],
  },
  {
    what: "a free grant above the plan's, well chained",
    does: (pool) => forge(pool, grant(LEDGER.open, 'welcome', 'free', { amount: 6_000 })),
    names: [{ check: 'grant', revision: 0, wrong: /grants 6000 free credits; the plan brings 60/ }],
  },
  {
    what: 'all successes rewritten as failures',
    does: sql(`update event set type = 'VideoTaskFailed',
      data = data - 'file' || '{"code": "render_timed_out", "detail": "", "jobId": null}' where type = 'VideoTaskSucceeded'`),
    names: [delivered, deliveredToOther].flatMap((stream) => [
      { check: 'delivery', stream, revision: 2, wrong: /The task failed, but its credits were captured/ },
      { check: 'chain', stream, revision: 2, wrong: /chain_head remembers another hash/ },
    ]),
  },
  {
    what: 'a deleted success',
    does: sql(`delete from event ${at(delivered, 2)}`),
    names: [
      { check: 'delivery', stream: account, revision: 3, wrong: /captured before the task ended/ },
      { check: 'chain', stream: delivered, revision: 2, wrong: /chain_head remembers this event/ },
    ],
  },
  {
    what: 'the hash of a delivered file',
    does: sql(`update event set data = jsonb_set(data, '{file,sha256}', '"${'0'.repeat(64)}"') ${at(delivered, 2)}`),
    names: [{ check: 'chain', stream: delivered, revision: 2, wrong: /chain_head remembers another hash/ }],
  },
  {
    what: 'a hold of another amount, and the order with it',
    does: async (pool) => {
      await sql(`update event set data = jsonb_set(data, '{parts,0,amount}', '3') ${at(account, 2)}`)(pool)
      await sql(`update event set data = jsonb_set(data, '{credits}', '3') ${at(delivered, 0)}`)(pool)
    },
    names: [
      { check: 'delivery', stream: account, revision: 2, wrong: /It holds 3 credits; .* costs 30/ },
      { check: 'delivery', stream: delivered, revision: 0, wrong: /It names 3 credits; .* costs 30/ },
      { check: 'chain', stream: account, revision: 2, wrong: /was changed/ },
      { check: 'chain', stream: delivered, revision: 0, wrong: /was changed/ },
    ],
  },
  {
    what: 'a cheaper configuration',
    does: sql(`update event set data = jsonb_set(data, '{resolution}', '"512P"') ${at(delivered, 0)}`),
    names: [{ check: 'delivery', stream: account, revision: 2, wrong: /It holds 30 credits; .* costs 10/ }],
  },
  {
    what: 'another owner of a task',
    does: sql(`update event set data = jsonb_set(data, '{userId}', '"${other}"') ${at(delivered, 0)}`),
    names: [
      {
        check: 'delivery',
        stream: delivered,
        revision: 0,
        wrong: /credits were held for it in the account of another user/,
      },
      { check: 'chain', stream: delivered, revision: 0, wrong: /was changed/ },
    ],
  },
  {
    what: 'another owner of a delivery',
    does: sql(`update event set data = jsonb_set(data, '{userId}', '"${other}"') ${at(delivered, 2)}`),
    names: [{ check: 'delivery', stream: delivered, revision: 2, wrong: /names another user/ }],
  },
  {
    what: 'a hold cut out',
    does: sql(`delete from event ${at(account, 8)}`),
    names: [
      { check: 'delivery', stream: waiting, revision: 0, wrong: /No credits were held for it/ },
      { check: 'chain', stream: account, revision: 8, wrong: /chain_head remembers this event/ },
    ],
  },
  {
    what: 'a balance in the read model',
    does: sql(`update credit_balance set lots = jsonb_set(lots, '{0,left}', '600') where id = '${buyer}'`),
    names: [{ check: 'read model', stream: account, revision: null, wrong: /credit_balance: lots is/ }],
  },
  {
    what: 'an entry of the history',
    does: sql(`update credit_entry set amount = -3 where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /amount is -3, by the log -30/ }],
  },
  {
    what: 'a time in the history',
    does: sql(
      `update credit_entry set created_at = created_at + interval '1 microsecond' where id = '${LEDGER.finished}'`,
    ),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /created_at is/ }],
  },
  {
    what: 'a deleted row',
    does: sql(`delete from credit_entry where id = '${LEDGER.finished}'`),
    names: [{ check: 'read model', stream: account, revision: 2, wrong: /is missing/ }],
  },
  {
    what: 'a row that was added',
    does: sql(`insert into invoice select '${LEDGER.open}', user_id, 'SALE-2', agreement_id, tier, amount_cents, 0, currency,
      credits, period_start, period_end from invoice`),
    names: [{ check: 'read model', stream: subscription, revision: null, wrong: /follows from no event/ }],
  },
  {
    what: 'a balance, with the checkpoint moved back to silence the comparison',
    does: async (pool) => {
      await pool.query(`update credit_balance set lots = jsonb_set(lots, '{0,left}', '600') where id = '${buyer}'`)
      await pool.query(
        `update projection_checkpoint set position = null, last_event = null where name = 'creditBalances'`,
      )
    },
    names: [{ check: 'read model', stream: account, revision: 0, wrong: /checkpoint of credit_balance is before/ }],
  },
  {
    what: 'a checkpoint moved back over a credit event',
    does: sql(`update projection_checkpoint set position = lpad((position::numeric - 2)::text, length(position), '0')
      where name = 'creditBalances'`),
    names: [
      { check: 'read model', stream: account, revision: 8, wrong: /checkpoint of credit_balance is before/ },
      { check: 'read model', stream: account, revision: 8, wrong: /names this event, which is not the last one/ },
    ],
  },
  {
    what: 'a deleted checkpoint',
    does: sql(`delete from projection_checkpoint where name = 'creditBalances'`),
    names: [{ check: 'read model', stream: null, wrong: /checkpoint of credit_balance is missing/ }],
  },
  {
    what: 'a checkpoint that names another event',
    does: sql(`update projection_checkpoint set last_event = jsonb_set(last_event, '{id}', '"${LEDGER.open}"')
      where name = 'invoices'`),
    names: [{ check: 'read model', stream: subscription, wrong: /checkpoint of invoice names this event/ }],
  },
  {
    what: 'an added hold in the work list',
    does: sql(`insert into open_hold select '${LEDGER.failed}', user_id, held_at from open_hold`),
    names: [{ check: 'read model', stream: account, revision: null, wrong: /open_hold: it follows from no event/ }],
  },
  {
    what: 'a tier in the current subscriptions',
    does: sql(`update current_subscription set tier = 'ultimate'`),
    names: [{ check: 'read model', stream: subscription, wrong: /current_subscription: tier is "ultimate"/ }],
  },
  {
    what: 'a recorded head that was deleted',
    does: sql(`delete from chain_head where stream = '${others}'`),
    names: [{ check: 'read model', stream: others, wrong: /chain_head is missing/ }],
  },
]
