import type pg from 'pg'
import { refuseWrongMasterKey, WrongMasterKey } from './masterKey.ts'
import { opensUserKey, readWrappedKeys } from './userKeys.ts'

const NO_KEY =
  'the copy has no ENCRYPTION_KEY, and would not start: set ENCRYPTION_KEY to the key that you keep apart from the ' +
  'backup, or back up with --with-secrets'

/** Opens the key of every user with a master key. Returns how many there are, and what is wrong. */
export async function proveKeys(
  client: pg.ClientBase,
  masterKey: string | undefined,
): Promise<{ readonly count: number; readonly wrong: string | undefined }> {
  const keys = await readWrappedKeys(client)
  return { count: keys.length, wrong: await faultOf() }

  async function faultOf(): Promise<string | undefined> {
    if (masterKey === undefined) return NO_KEY
    const lost = keys.filter((key) => !opensUserKey(masterKey, key)).length
    if (lost > 0) return `${lost} do not open with this ENCRYPTION_KEY: the prompts of those users are lost`
    try {
      await refuseWrongMasterKey(client, masterKey)
      return undefined
    } catch (error) {
      if (error instanceof WrongMasterKey) return error.message
      throw error
    }
  }
}
