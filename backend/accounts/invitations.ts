import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { AccountsOptions } from './accounts.ts'
import { Email } from './contract.ts'
import { unusablePassword } from './passwords.ts'
import { findOrAddAccount, nameIn } from './start/findOrAddAccount.ts'
import { UserTable } from './tables.ts'

type InvitationOptions = Pick<AccountsOptions, 'database' | 'links' | 'grants' | 'calendar'>

export type Invitations = ReturnType<typeof createInvitations>

/** Creates the service that makes accounts for people whose addresses an operator vouches for. */
export function createInvitations({ database, links, grants, calendar = Date.now }: InvitationOptions) {
  return {
    /**
     * Returns a user with a verified address, and a single-use token that sets the password. Grants the free credits
     * before the verification, so that repeating the call after a crash completes it. Replaces the address, name and
     * password of a registration that was never verified: another spelling may be a stranger's mailbox.
     * @throws ValidationError invalid_email
     */
    async invite(address: string): Promise<{ userId: string; token: string }> {
      const parsed = Email.safeParse(address)
      if (!parsed.success) throw new ValidationError([{ path: 'email', code: 'invalid_email' }])
      const account = await findOrAddAccount({ database, calendar }, parsed.data, 'en')
      if (!account.emailVerifiedAt) await grants.grantOnce(account)
      const verified = {
        email: parsed.data,
        fullName: nameIn(parsed.data),
        passwordHash: unusablePassword(),
        hasPassword: false,
        emailVerifiedAt: new Date(calendar()),
      }
      const token = await database.em.fork().transactional(async (tx) => {
        await tx.nativeUpdate(UserTable, { id: account.id, emailVerifiedAt: null }, verified)
        await links.revokeUnverified(tx, account.id)
        return links.issue(tx, 'reset', account)
      })
      return { userId: account.id, token }
    },
  }
}
