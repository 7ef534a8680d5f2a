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
    does: sql(`delete from event ${at(account, 8)}`),
    names: [
      { check: 'chain', stream: account, revision: 8, wrong: /chain_head remembers this event/ },
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
    what: 'a hold that is open for more than a day',
    does: sql(`update event set created = now() - interval '25 hours' ${at(account, 8)}`),
    names: [{ check: 'hold', stream: account, revision: 8, wrong: /open for more than a day/ }],
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
]
