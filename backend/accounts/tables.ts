import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Language } from './contract.ts'

export const UserTable = defineEntity({
  name: 'UserAccount',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary(),
    /** As it was given, in lower case. Mails go there. */
    email: p.text(),
    /** The mailbox behind the address: one account each. */
    identity: p.text(),
    fullName: p.text(),
    language: p.text().$type<Language>(),
    passwordHash: p.text(),
    emailVerifiedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})
export type UserAccount = InferEntity<typeof UserTable>
