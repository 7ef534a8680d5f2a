import type { Database } from '../../kernel/postgres/orm.ts'
import type { UserAccount } from '../tables.ts'
import { composeReminder } from './composeMail.ts'
import type { Outbox } from './outbox.ts'

type Kind = Parameters<typeof composeReminder>[0]

const LIFE_MS = 3 * 24 * 3_600_000

/** Mails about plans and credits. Each is written once per user and key, in one transaction with the note that it was. */
export function createReminders(database: Database, outbox: Outbox, publicUrl: () => string) {
  return {
    async once(userId: string, key: string, kind: Kind, values: Readonly<Record<string, string>>): Promise<void> {
      await database.em.fork().transactional(async (tx) => {
        const isNew = await tx.execute(
          'insert into sent_reminder (user_id, key) values (?, ?) on conflict do nothing returning key',
          [userId, key],
        )
        if (isNew.length === 0) return
        const [user] = await tx.execute<Pick<UserAccount, 'email' | 'fullName' | 'language'>[]>(
          'select email, full_name as "fullName", language from user_account where id = ?',
          [userId],
        )
        // An account that is being erased gets no more mails.
        if (!user) return
        const link = `${publicUrl()}${user.language === 'zh' ? '/zh' : ''}/profile#subscription`
        await outbox.put(tx, userId, composeReminder(kind, user, link, values), LIFE_MS)
      })
    },
  }
}
