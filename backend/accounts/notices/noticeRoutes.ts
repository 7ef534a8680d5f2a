import type { Serve } from '../../kernel/http/endpoint.ts'
import { RefusedAddress } from '../../kernel/http/outgoing/guardedRequest.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import * as contract from '../contract.ts'
import type { MailChoice } from './mailChoice.ts'
import type { PushSender } from './pushSender.port.ts'
import type { PushSubscriptions } from './pushSubscriptions.ts'

export interface NoticeRoutes {
  readonly mailChoice: MailChoice
  readonly subscriptions: PushSubscriptions
  readonly sender: Pick<PushSender, 'publicKey' | 'checkEndpoint'>
}

/** Serves the ways in which a user is notified that a video is done. */
export function serveNotices(serve: Serve, { mailChoice, subscriptions, sender }: NoticeRoutes): void {
  serve(contract.readNotices, async ({ userId, ctx }) => {
    const push = await subscriptions.has(ctx.state.sessionId)
    return { push_key: sender.publicKey, push, mail: await mailChoice.read(userId) }
  })

  serve(contract.subscribePush, async ({ userId, body, ctx }) => {
    const { href } = checked(() => sender.checkEndpoint(body.endpoint))
    await subscriptions.put(userId, ctx.state.sessionId, { ...body, endpoint: href })
    return undefined
  })

  serve(contract.unsubscribePush, async ({ ctx }) => {
    await subscriptions.remove(ctx.state.sessionId)
    return undefined
  })

  serve(contract.chooseMail, async ({ userId, body }) => {
    await mailChoice.save(userId, body.on)
    return undefined
  })
}

/** Names are also checked when a message is sent. */
function checked(check: () => URL): URL {
  try {
    return check()
  } catch (error) {
    if (error instanceof RefusedAddress) throw new ValidationError([{ path: 'endpoint', code: 'invalid' }])
    throw error
  }
}
