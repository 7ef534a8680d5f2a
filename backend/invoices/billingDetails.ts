import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import { BillingDetails } from './contract.ts'

/** Encryption with the key of a user. */
export interface UserCipher {
  encrypt(about: { purpose: string; userId: string; row: string }, text: string): Promise<string>
  /** Returns undefined if the text cannot be decrypted. */
  tryDecrypt(about: { purpose: string; userId: string; row: string }, sealed: string): Promise<string | undefined>
}

const aboutDetails = (userId: string) => ({ purpose: 'billing details', userId, row: userId })

/** Creates the store of what users' invoices say about them. Rows are deleted with the account. */
export const createBillingDetails = (database: Database, { encrypt, tryDecrypt }: UserCipher) => ({
  async read(userId: string): Promise<BillingDetails> {
    const sql = 'select sealed from billing_details where user_id = $1'
    const [row] = await query<{ sealed: string }>(database, sql, [userId])
    const text = row && (await tryDecrypt(aboutDetails(userId), row.sealed))
    return BillingDetails.parse(JSON.parse(text ?? '{}'))
  },

  async save(userId: string, details: BillingDetails): Promise<void> {
    const sealed = await encrypt(aboutDetails(userId), JSON.stringify(details))
    await query(
      database,
      'insert into billing_details values ($1, $2) on conflict (user_id) do update set sealed = excluded.sealed',
      [userId, sealed],
    )
  },
})
