import type { Context } from 'koa'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { ApiKeys, EndedKey } from './apiKeys.ts'
import * as contract from './contract.ts'
import type { KeyDoor } from './keyDoor.ts'
import { isWellFormed } from './keyText.ts'

type Proof = Readonly<{ password?: string | undefined; token?: string | undefined }>
type KeyChange = 'api_key_created' | 'api_key_rotated' | 'api_key_ended'

interface KeyRoutes {
  readonly apiKeys: ApiKeys
  readonly door: Pick<KeyDoor, 'forget'>
  /** Checks that the person at the keyboard owns the account, now. */
  readonly confirmations: { confirmOwner(ctx: Context, userId: string, proof: Proof): Promise<void> }
  /** Mails the owner of a key that someone has found. */
  readonly tellOwner: (userId: string, key: EndedKey) => Promise<void>
  readonly securityLog: { record(ctx: Context, userId: string, change: KeyChange): Promise<void> }
}

/** Serves the keys of a signed-in user. Making one needs a fresh confirmation, as it may spend the user's credits. */
export function serveKeys(serve: Serve, { apiKeys, door, confirmations, securityLog }: KeyRoutes): void {
  serve(contract.createKey, async ({ body: { password, token, ...order }, userId, ctx }) => {
    await confirmations.confirmOwner(ctx, userId, { password, token })
    const key = await apiKeys.create(userId, order)
    await securityLog.record(ctx, userId, 'api_key_created')
    return key
  })

  serve(contract.listKeys, async ({ userId }) => ({ keys: await apiKeys.list(userId) }))

  serve(contract.rotateKey, async ({ body: { overlap_hours, ...proof }, params, userId, ctx }) => {
    await confirmations.confirmOwner(ctx, userId, proof)
    const key = await apiKeys.rotate(userId, params.id, overlap_hours)
    door.forget()
    await securityLog.record(ctx, userId, 'api_key_rotated')
    return key
  })

  serve(contract.endKey, async ({ params, userId, ctx }) => {
    await apiKeys.end(userId, params.id)
    door.forget()
    await securityLog.record(ctx, userId, 'api_key_ended')
    return undefined
  })
}

/** Serves the end of a key by anyone who has found it. */
export function serveFoundKeys(serve: Serve, { apiKeys, door, securityLog, tellOwner }: KeyRoutes): void {
  serve(contract.revokeFound, async ({ body: { token }, ctx }) => {
    const found = isWellFormed(token) ? await apiKeys.endFound(token) : undefined
    if (found) {
      door.forget()
      await securityLog.record(ctx, found.user_id, 'api_key_ended')
      await tellOwner(found.user_id, found)
    }
    return { revoked: found !== undefined }
  })
}
