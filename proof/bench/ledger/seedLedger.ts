import type pg from 'pg'
import { chainStart, derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { AN_ATTEMPT, anOrder } from '#backend/tasks/testing/anOrder.ts'

const ORDER = anOrder({ encryptedPrompt: 'p'.repeat(200) })
const FILE = { size: 1_000_000, durationMs: 5_880, width: 1366, height: 768, sha256: '0'.repeat(64) }

type Row = { stream: string; revision: number; id: string; type: string; data: object; meta: object }

/** Returns the events of an account and its tasks: credits, then videos, every fourth of which fails. */
function accountEvents(user: number, videos: number): Row[] {
  const userId = derivedId('user', user)
  const rows: Row[] = []
  const heads = new Map<string, Row>()
  const appendTo = (stream: string, type: string, data: object, actor = 'system') => {
    const head = heads.get(stream)
    const id = derivedId('bench', user, rows.length)
    const at = new Date(Date.UTC(2026, 0, 1) + rows.length * 1_000).toISOString()
    const meta = { correlationId: id, actor, schema: 1, previousHash: head ? eventHash(head) : chainStart(stream) }
    const row = { stream, revision: head ? head.revision + 1 : 0, id, type, data: { ...data, at }, meta }
    heads.set(stream, row)
    rows.push(row)
  }
  const append = (type: string, data: object, actor?: string) =>
    appendTo(`creditAccount-${userId}`, type, { userId, ...data }, actor)
  const lot = { expiresAt: null }
  const gift = derivedId('gift', user)
  append('CreditLotGranted', { lotId: derivedId('free', user), source: 'free', amount: 60, ...lot })
  const given = { lotId: gift, source: 'adjustment', amount: 30 * videos, reason: 'bench' }
  append('CreditLotGranted', { ...given, ...lot }, 'operator:bench')
  for (let n = 0; n < videos; n++) {
    const holdId = derivedId('video', user, n)
    const parts = [{ lotId: gift, amount: 30 }]
    const appendTask = (type: string, data: object = {}) =>
      appendTo(`videoTask-${holdId}`, type, { taskId: holdId, ...data })
    append('CreditsHeld', { holdId, parts }, `user:${userId}`)
    appendTask('VideoTaskSubmitted', { ...ORDER, taskId: holdId, userId })
    appendTask('VideoRenderRequested', AN_ATTEMPT)
    appendTask('VideoRenderAccepted', { jobId: `job-${n}` })
    appendTask('VideoRenderStarted')
    appendTask('VideoDownloadStarted')
    if (n % 4 === 3) appendTask('VideoTaskFailed', { userId, code: 'provider_failed', detail: '', jobId: null })
    else appendTask('VideoTaskSucceeded', { userId, file: FILE })
    if (n % 4 === 3) append('CreditsReleased', { holdId, reason: 'not delivered', parts, renewed: null })
    else append('CreditsCaptured', { holdId })
  }
  return rows
}

interface Accounts {
  /** Number of the first account. */
  readonly first: number
  readonly accounts: number
  readonly videos: number
  /** Accounts whose events are interleaved as if they were used concurrently. */
  readonly together?: number
}

/**
 * Appends the hash-chained events of accounts to the event table with INSERT, which is faster than sending the commands.
 * Returns the position of the last event. @param last position after which no event is written
 */
export async function seedLedger(
  pool: pg.Pool,
  { first, accounts, videos, together = 250 }: Accounts,
  last = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { rows } = await pool.query('select coalesce(max(position), 0)::int as position from event')
  let { position } = rows[0] as { position: number }
  for (let begin = first; begin < first + accounts && position < last; begin += together) {
    const count = Math.min(together, first + accounts - begin)
    const streams = Array.from({ length: count }, (_, n) => accountEvents(begin + n, videos))
    const events = streams[0]!.flatMap((_, revision) => streams.map((each) => each[revision]!))
    const batch = events.slice(0, last - position).map((row) => ({ ...row, position: ++position }))
    await pool.query(
      `insert into event select position, stream, revision, id, type, data, meta, now()
       from jsonb_to_recordset($1::jsonb) as e(position bigint, stream text, revision bigint, id uuid, type text, data jsonb, meta jsonb)`,
      [JSON.stringify(batch)],
    )
  }
  await pool.query('analyze event')
  return position
}
