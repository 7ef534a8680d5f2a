import type pg from 'pg'
import { mailKey } from '../accounts/keys/keyRing.ts'
import { createOutbox } from '../accounts/mails/outbox.ts'
import { type Claimed, createOutbox as createMessages } from '../kernel/outbox/outbox.ts'
import type { Database } from '../kernel/postgres/orm.ts'

/** Creates the door of emails without anything that sends them, and a function that reads those that wait, oldest first. */
export function testMails({ database, pool }: { database: Database; pool: pg.Pool }, masterKey = 'ab'.repeat(32)) {
  const outbox = createOutbox(database, createMessages(pool, Date.now), mailKey(masterKey))
  const waiting = async () => {
    const { rows } = await pool.query<Claimed>(
      `select id, user_id as "userId", body, expires_at as "expiresAt" from outbox
       where channel = 'mail' and state = 'waiting' order by id`,
    )
    return rows.map((row) => outbox.open(row)!)
  }
  return { outbox, waiting }
}
