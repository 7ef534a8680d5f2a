import type pg from 'pg'

/** An account whose balance is not the sum of its history. */
export interface Drift {
  readonly userId: string
  readonly balance: number
  readonly entries: number
}

interface AccountRow {
  readonly id: string
  readonly balance: number
  readonly entries: number
  readonly revision: number | null
}

const PAGE = 500
const SETTLE_MS = 30_000

const SQL = `
  select b.id, (coalesce(lots.left, 0) - b.debt)::int as balance, coalesce(history.total, 0)::int as entries, history.revision
  from (select * from credit_balance where case when $2::uuid[] is null then id > $1 else id = any($2) end order by id limit $3) b
  left join lateral (select sum((lot ->> 'left')::int) as left from jsonb_array_elements(b.lots) lot) lots on true
  left join lateral (select sum(amount) as total, max(revision) as revision from credit_entry where user_id = b.id) history on true
  order by b.id`

const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Holds balances against histories, some hundred accounts at a look, round and round. The two are read models that are
 * written apart, so that one may be ahead for a moment: an account has drifted when it is still wrong by as much, with
 * nothing new in its history, after `settleMs`. The proof of the whole is `npm run audit -- verify`; this finds out early.
 */
export function createLedgerWatch(
  pool: Pick<pg.Pool, 'query'>,
  { now = Date.now, settleMs = SETTLE_MS, page = PAGE } = {},
) {
  let after = FIRST
  const suspects = new Map<string, AccountRow & { readonly since: number }>()

  const read = async (ids: readonly string[] | null) =>
    (await pool.query<AccountRow>(SQL, [after, ids, ids ? ids.length : page])).rows

  const judge = (rows: readonly AccountRow[]) => {
    for (const row of rows) {
      const before = suspects.get(row.id)
      if (row.balance === row.entries) suspects.delete(row.id)
      else if (before?.revision !== row.revision || before.balance - before.entries !== row.balance - row.entries)
        suspects.set(row.id, { ...row, since: now() })
    }
  }

  return {
    /** Looks at the next accounts and again at the suspects. Answers how many were looked at, and who has drifted. */
    async look(): Promise<{ checked: number; drifted: readonly Drift[] }> {
      if (suspects.size > 0) judge(await read([...suspects.keys()]))
      const rows = await read(null)
      after = rows.length < page ? FIRST : rows.at(-1)!.id
      judge(rows.filter(({ id }) => !suspects.has(id)))
      const drifted = [...suspects.values()].filter(({ since }) => now() - since >= settleMs)
      return {
        checked: rows.length,
        drifted: drifted.map(({ id, balance, entries }) => ({ userId: id, balance, entries })),
      }
    },
  }
}
