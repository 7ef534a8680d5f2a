import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'
import type { MailedLinks } from '../mails/mailedLinks.ts'
import type { UserAccount } from '../tables.ts'
import type { FactorChange } from './factorRoutes.ts'

/** The link removes factors that are newer than itself, so it is dated before the factor that it is about. */
const DATED_BACK_MS = 5 * 60_000

const MAILS = {
  second_factor_added: 'factorAdded',
  passkey_added: 'factorAdded',
  second_factor_removed: 'factorRemoved',
  passkey_removed: 'factorRemoved',
} as const

export type NotifyFactor = ReturnType<typeof createFactorNotices>

/** Creates the mails about added and removed second factors, with a link that undoes what an intruder did. */
export const createFactorNotices =
  (database: Database, links: MailedLinks, now: Clock) =>
  async (account: UserAccount, change: FactorChange): Promise<void> => {
    const mail = (MAILS as Partial<Record<FactorChange, 'factorAdded' | 'factorRemoved'>>)[change]
    if (!mail) return
    const link = { query: { secure: '1' }, issuedAt: now() - DATED_BACK_MS }
    await database.em.fork().transactional((tx) => links.send(tx, mail, account, link))
  }
