import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Language } from './contract.ts'

export const UserTable = defineEntity({
  name: 'UserAccount',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary(),
    /** The address as entered, in lower case. Mails are sent to it. */
    email: p.text(),
    /** Normalised mailbox, unique. See `mailIdentity`. */
    identity: p.text(),
    fullName: p.text(),
    language: p.text().$type<Language>(),
    passwordHash: p.text(),
    emailVerifiedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})
export type UserAccount = InferEntity<typeof UserTable>
