import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { type AccountsOptions, findAccount } from '../accounts.ts'
import type { Language } from '../contract.ts'
import { mailIdentity } from '../mails/mailAddress.ts'
import type { MailedLinks } from '../mails/mailedLinks.ts'
import { unusablePassword } from '../passwords.ts'
import { type UserAccount, UserTable } from '../tables.ts'

type Options = Required<Pick<AccountsOptions, 'database' | 'calendar'>>

/**
 * Returns the account of an address, which may belong to a stranger's registration. Adds an unverified one without a
 * password if there is none.
 */
export async function findOrAddAccount(
  { database, calendar }: Options,
  email: string,
  language: Language,
): Promise<UserAccount> {
  const em = database.em.fork()
  const found = await findAccount(em, email)
  if (found) return found
  const account = {
    ...{ id: uuid7(calendar()), email, identity: mailIdentity(email), fullName: nameIn(email), language },
    ...{ passwordHash: unusablePassword(), hasPassword: false, passwordChangedAt: null, emailVerifiedAt: null },
    createdAt: new Date(calendar()),
  }
  try {
    await em.insert(UserTable, account)
    return account
  } catch (error) {
    const added = error instanceof UniqueConstraintViolationException && (await findAccount(em.fork(), email))
    if (!added) throw error
    return added
  }
}

/**
 * Verifies the address of a new account. Replaces the name and the password of a registration, which may be a stranger's,
 * and invalidates its links. Returns false if the account is verified already.
 */
export async function claimAccount(
  tx: EntityManager,
  links: Pick<MailedLinks, 'revokeUnverified'>,
  id: string,
  own: Pick<UserAccount, 'email' | 'language' | 'fullName'>,
  now: number,
): Promise<boolean> {
  const at = new Date(now)
  const claimed = await tx.nativeUpdate(
    UserTable,
    { id, emailVerifiedAt: null },
    { ...own, passwordHash: unusablePassword(), hasPassword: false, passwordChangedAt: at, emailVerifiedAt: at },
  )
  if (claimed > 0) await links.revokeUnverified(tx, id)
  return claimed > 0
}

/** Returns the part of an address before the @. */
export const nameIn = (email: string): string => email.replace(/@.*/s, '')
