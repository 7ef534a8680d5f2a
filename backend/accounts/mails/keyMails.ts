import type { Database } from '../../kernel/postgres/orm.ts'
import type { Outbox } from './outbox.ts'
import { createReminders } from './reminders.ts'

type Key = Readonly<{ id: string; name: string; hint: string }>
type ExpiringKey = Key & Readonly<{ user_id: string; expires_at: Date }>

/** Creates the sender of emails about API keys. */
export function createKeyMails(database: Database, outbox: Outbox, publicUrl: () => string) {
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile/developers')
  return {
    /** Tells the owner that someone found the key, which was ended. */
    revoked: (userId: string, { id, name: key, hint }: Key) =>
      sendOnce(userId, `key revoked ${id}`, 'keyRevoked', { key, hint }),

    /** Tells the owner that the operator ended the key. */
    stopped: (userId: string, { id, name: key, hint }: Key) =>
      sendOnce(userId, `key stopped ${id}`, 'keyStopped', { key, hint }),

    /** Tells owners that their keys expire soon, once for each key. */
    async remind(keys: readonly ExpiringKey[]): Promise<void> {
      for (const { id, user_id, name: key, hint, expires_at } of keys)
        await sendOnce(user_id, `key expires ${id}`, 'keyExpires', { key, hint, date: expires_at.toISOString() })
    },
  }
}
