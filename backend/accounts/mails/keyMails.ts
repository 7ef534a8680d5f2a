import type { Database } from '../../kernel/postgres/orm.ts'
import type { Outbox } from './outbox.ts'
import { createReminders } from './reminders.ts'

type Key = Readonly<{ id: string; name: string; hint: string }>
type EndedKey = Key & Readonly<{ client_id: string | null }>
type ExpiringKey = Key & Readonly<{ user_id: string; expires_at: Date }>

/** Creates the sender of emails about API keys and connections. */
export function createKeyMails(database: Database, outbox: Outbox, publicUrl: () => string) {
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile/developers')
  return {
    /** Tells the owner that someone found the key or a token of the connection, which was ended. */
    revoked: (userId: string, { id, name: key, hint, client_id }: EndedKey) =>
      sendOnce(userId, `key revoked ${id}`, client_id === null ? 'keyRevoked' : 'connectionRevoked', { key, hint }),

    /** Tells the owner that the operator ended the key or the connection. */
    stopped: (userId: string, { id, name: key, hint, client_id }: EndedKey) =>
      sendOnce(userId, `key stopped ${id}`, client_id === null ? 'keyStopped' : 'connectionStopped', { key, hint }),

    /** Tells owners that their keys expire soon, once for each key. */
    async remind(keys: readonly ExpiringKey[]): Promise<void> {
      for (const { id, user_id, name: key, hint, expires_at } of keys)
        await sendOnce(user_id, `key expires ${id}`, 'keyExpires', { key, hint, date: expires_at.toISOString() })
    },
  }
}
