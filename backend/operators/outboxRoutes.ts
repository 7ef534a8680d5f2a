import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Outbox } from '../kernel/outbox/outbox.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'

interface OutboxRoutes {
  readonly messages: Pick<Outbox, 'undelivered' | 'resendAny'>
  readonly actions: OperatorActions
  /** Returns the addresses of users by their ids. */
  readonly emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** Serves the messages that were not delivered, and sends them again. */
export function serveOutbox(serve: Serve, { messages, actions, emailsOf }: OutboxRoutes): void {
  serve(contract.undelivered, async ({ query }) => {
    const { messages: rows, total } = await messages.undelivered(query.page, query.per_page)
    const emails = await emailsOf(rows.map(({ user_id }) => user_id))
    const listed = rows.map(({ user_id, created_at, due_at, ...row }) => ({
      ...{ ...row, email: emails.get(user_id) ?? '' },
      ...{ created_at: created_at.toISOString(), due_at: due_at?.toISOString() ?? null },
    }))
    return { success: true as const, messages: listed, total }
  })

  serve(contract.resendMessage, async ({ params, ctx }) => {
    const sent = await messages.resendAny(params.id)
    if (!sent) throw new Rejection('not_found', 'This message was delivered, or has no text any more.')
    // Ids alone: the record outlives the account, and the subject of a mail may name a person.
    const detail = `${sent.channel} ${params.id}, user ${sent.user_id}`
    await actions.record({ action: 'message_resent', detail, ctx })
    return undefined
  })
}
