import { setTimeout as delay } from 'node:timers/promises'
import type { AnyProjection } from './projection.ts'
import type { Database } from './readModel.ts'

/** While a read model shows all there is, that is written down so often. */
const EVERY_MS = 2_000
const LOOK_MS = 25

/**
 * Writes down when a projection was last seen at the head of the log, for processes in which it does not run.
 * `arrived` is to be called at the head, `left` when there is more to read.
 */
export function tellLiveness({ name, version }: AnyProjection, database: Database) {
  let atHead = false
  let toldAt = Number.NEGATIVE_INFINITY
  let telling = Promise.resolve()
  const tell = async () => {
    toldAt = performance.now()
    const sql = 'update projection_checkpoint set live_at = clock_timestamp() where name = ? and version = ?'
    // What fails is told again in a moment.
    await database.em
      .fork()
      .execute(sql, [name, version])
      .catch(() => {})
  }
  const timer = setInterval(() => {
    if (atHead) telling = tell()
  }, EVERY_MS)
  return {
    arrived() {
      atHead = true
      if (performance.now() - toldAt >= EVERY_MS) telling = tell()
    },
    left() {
      atHead = false
    },
    async end() {
      clearInterval(timer)
      await telling
    },
  }
}

/** The time by the database's clock, which all processes share. */
export async function databaseTime(database: Database): Promise<string> {
  const [row] = await database.em.fork().execute<{ now: string }[]>('select clock_timestamp()::text as now')
  return row!.now
}

/**
 * Waits until every projection has been at the head of the log since an instant of the database's clock, at this version or
 * a newer one, in whichever process it runs.
 */
export async function caughtUp(
  projections: readonly AnyProjection[],
  database: Database,
  since: string,
): Promise<void> {
  const em = () => database.em.fork()
  const known = JSON.stringify(projections.map(({ name, version }) => ({ name, version })))
  for (;;) {
    const behind = await em().execute(
      `select p.name from jsonb_to_recordset(?::jsonb) p (name text, version int)
       left join projection_checkpoint c on c.name = p.name
       where c.version is null or c.version < p.version or c.live_at is null or c.live_at < ?::timestamptz`,
      [known, since],
    )
    if (behind.length === 0) return
    await delay(LOOK_MS)
  }
}
