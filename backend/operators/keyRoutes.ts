import type { Context } from 'koa'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'

/** API keys of all users. */
export interface KeysOnBoard {
  list(page: number, perPage: number): Promise<{ readonly keys: readonly OwnedKey[]; readonly total: number }>
  /** Ends a key and tells its owner. Returns undefined if no such key works. */
  end(id: string): Promise<{ readonly name: string; readonly hint: string; readonly user_id: string } | undefined>
  /** Returns the addresses of users by their ids. */
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

type OwnedKey = Omit<contract.BoardKey, 'email'> & { readonly user_id: string }

interface KeyRoutes {
  readonly keys: KeysOnBoard
  readonly actions: OperatorActions
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
}

/** Serves the list of all users' API keys, and the end of one. */
export function serveKeysOnBoard(serve: Serve, { keys, actions, requireStepUp }: KeyRoutes): void {
  serve(contract.apiKeys, async ({ query }) => {
    const { keys: listed, total } = await keys.list(query.page, query.per_page)
    const emails = await keys.emailsOf(listed.map(({ user_id }) => user_id))
    const rows = listed.map(({ user_id, ...key }) => ({ ...key, email: emails.get(user_id) ?? '' }))
    return { success: true as const, keys: rows, total }
  })

  serve(contract.endApiKey, async ({ params, ctx }) => {
    await requireStepUp(ctx)
    const key = await keys.end(params.id)
    if (!key) throw new Rejection('not_found', 'This key has ended.')
    // Ids alone: the record outlives the account, and a person chose the name of the key.
    const detail = `key ${params.id} …${key.hint}, user ${key.user_id}`
    await actions.record({ action: 'api_key_ended', detail, ctx })
    return undefined
  })
}
