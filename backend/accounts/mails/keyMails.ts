import type { Database } from '../../kernel/postgres/orm.ts'
import type { Outbox } from './outbox.ts'
import { createReminders } from './reminders.ts'

type Key = Readonly<{ id: string; name: string; hint: string }>

/** Creates the sender of emails about API keys. */
export function createKeyMails(database: Database, outbox: Outbox, publicUrl: () => string) {
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile#developers')
  return {
    /** Tells the owner that someone found the key, which was ended. */
    revoked: (userId: string, { id, name: key, hint }: Key) =>
      sendOnce(userId, `key revoked ${id}`, 'keyRevoked', { key, hint }),

    /** Tells the owner that the key expires soon, once. @param expiresAt ISO timestamp */
    expires: (userId: string, { id, name: key, hint }: Key, expiresAt: string) =>
      sendOnce(userId, `key expires ${id}`, 'keyExpires', { key, hint, date: expiresAt }),
  }
}
