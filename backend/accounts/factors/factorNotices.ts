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
  identity_connected: 'identityAdded',
  identity_disconnected: 'identityRemoved',
} as const

type Change = FactorChange | 'identity_connected' | 'identity_disconnected'

export type NotifyFactor = ReturnType<typeof createFactorNotices>

/** Creates the mails about added and removed ways to sign in, with a link that undoes what an intruder did. `values` fill the text. */
export const createFactorNotices =
  (database: Database, links: MailedLinks, now: Clock) =>
  async (account: UserAccount, change: Change, values: Readonly<Record<string, string>> = {}): Promise<void> => {
    const mail = (MAILS as Partial<Record<Change, (typeof MAILS)[keyof typeof MAILS]>>)[change]
    if (!mail) return
    const link = { query: { secure: '1' }, values, issuedAt: now() - DATED_BACK_MS }
    await database.em.fork().transactional((tx) => links.send(tx, mail, account, link))
  }
