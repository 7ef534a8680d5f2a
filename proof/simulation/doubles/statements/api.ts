import type { SimulatedDatabase, Statements } from '../database.ts'

interface Key {
  readonly body_hash: string
  readonly subject_id: string
  readonly state: 'open' | 'accepted' | 'refused'
}

const keys = (database: SimulatedDatabase) => database.table<Key>('idempotency_key')
const rowOf = (database: SimulatedDatabase, table: string, id: unknown) => {
  const row = database.table(table).get(id as string)
  return row ? [{ row }] : []
}

/** Users of the simulation send one body per key, so a key never changes hands. */
export const API_STATEMENTS: Statements = [
  [
    'insert into idempotency_key',
    (database, [userId, key, bodyHash, fresh]) => {
      const id = `${userId} ${key}`
      if (!keys(database).get(id))
        keys(database).set(id, { body_hash: bodyHash as string, subject_id: fresh as string, state: 'open' })
      return []
    },
  ],
  [
    'select subject_id, body_hash, state from idempotency_key',
    (database, [userId, key]) => [keys(database).get(`${userId} ${key}`)!],
  ],
  [
    'update idempotency_key set state',
    (database, [to, userId, key, subjectId]) => {
      const id = `${userId} ${key}`
      const row = keys(database).get(id)
      if (row && row.subject_id === subjectId && row.state !== 'accepted')
        keys(database).set(id, { ...row, state: to as Key['state'] })
      return []
    },
  ],
  [
    'delete from idempotency_key',
    (database, [userId, key, subjectId]) => {
      if (keys(database).get(`${userId} ${key}`)?.subject_id === subjectId) keys(database).delete(`${userId} ${key}`)
      return []
    },
  ],
  [
    'from video_task t left join render_progress',
    (database, [ids]) =>
      (JSON.parse(ids as string) as string[]).flatMap((id) =>
        rowOf(database, 'video_task', id).map(({ row }) => ({ row: { ...row, percent: null, frame_at: null } })),
      ),
  ],
  ['from current_subscription t where id', (database, [userId]) => rowOf(database, 'current_subscription', userId)],
  ['from credit_balance t where id', (database, [userId]) => rowOf(database, 'credit_balance', userId)],
]
