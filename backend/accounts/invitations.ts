import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { type AccountsOptions, findAccount } from './accounts.ts'
import { Email } from './contract.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import { unusablePassword } from './passwords.ts'
import { type UserAccount, UserTable } from './tables.ts'

type InvitationOptions = Pick<AccountsOptions, 'database' | 'links' | 'grants' | 'calendar'>

/** Creates the service that makes accounts for people whose addresses an operator vouches for. */
export function createInvitations({ database, links, grants, calendar = Date.now }: InvitationOptions) {
  /** Returns the account of an address, which may belong to a stranger's registration; adds one if there is none. */
  const findOrAdd = async (email: string): Promise<UserAccount> => {
    const em = database.em.fork()
    const found = await findAccount(em, email)
    if (found) return found
    const account = {
      ...{
        id: uuid7(calendar()),
        email,
        identity: mailIdentity(email),
        fullName: nameOf(email),
        language: 'en' as const,
      },
      ...{ passwordHash: await unusablePassword(), hasPassword: false, passwordChangedAt: null, emailVerifiedAt: null },
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

  return {
    /**
     * Returns a user with a verified address, and a single-use token that sets the password. Grants the free credits
     * before the verification, so that repeating the call after a crash completes it. Replaces the name and password of
     * a registration that was never verified.
     * @throws ValidationError invalid_email
     */
    async invite(address: string): Promise<{ userId: string; token: string }> {
      const parsed = Email.safeParse(address)
      if (!parsed.success) throw new ValidationError([{ path: 'email', code: 'invalid_email' }])
      const account = await findOrAdd(parsed.data)
      if (!account.emailVerifiedAt) await grants.grantOnce(account)
      const verified = {
        fullName: nameOf(account.email),
        passwordHash: await unusablePassword(),
        hasPassword: false,
        emailVerifiedAt: new Date(calendar()),
      }
      const token = await database.em.fork().transactional(async (tx) => {
        await tx.nativeUpdate(UserTable, { id: account.id, emailVerifiedAt: null }, verified)
        await links.revoke(tx, account.id, 'verify')
        return links.issue(tx, 'reset', account)
      })
      return { userId: account.id, token }
    },
  }
}

const nameOf = (email: string) => email.split('@')[0]!
