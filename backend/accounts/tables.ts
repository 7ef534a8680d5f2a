import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Language } from './contract.ts'

export const UserTable = defineEntity({
  name: 'UserAccount',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary(),
    /** Address that emails are sent to: as entered, in lower case. */
    email: p.text(),
    /** Normalized address, which is unique. See `mailIdentity`. */
    identity: p.text(),
    fullName: p.text(),
    language: p.text().$type<Language>(),
    passwordHash: p.text(),
    /** False if the hash is that of a random password that nobody knows. */
    hasPassword: p.boolean().default(true),
    /** Null if the password has not changed since registration. */
    passwordChangedAt: p.datetime().nullable(),
    emailVerifiedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})
export type UserAccount = InferEntity<typeof UserTable>
