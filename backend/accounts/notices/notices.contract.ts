import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'

/** A subscription as browsers describe it (Push API, RFC 8291). */
export const PushSubscription = z.object({
  endpoint: z.string().check(z.maxLength(1_000, 'invalid')),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[\w-]{87}=?$/, 'invalid')),
    auth: z.string().check(z.regex(/^[\w-]{22}(==)?$/, 'invalid')),
  }),
})
export type PushSubscription = z.infer<typeof PushSubscription>

export const readNotices = endpoint('GET /users/notices', {
  access: 'user',
  answer: z.object({
    /** VAPID public key of this installation, base64url. */
    push_key: z.string(),
    /** Whether this session has a push subscription. */
    push: z.boolean(),
    mail: z.boolean(),
  }),
  summary: 'How the user is notified that a video is done',
})

export const subscribePush = endpoint('PUT /users/notices/push', {
  access: 'user',
  body: PushSubscription,
  status: 204,
  summary:
    'Sends this browser a push message when a video is done, until the session ends; public https addresses only',
})

export const unsubscribePush = endpoint('DELETE /users/notices/push', {
  access: 'user',
  status: 204,
  summary: 'Ends the push messages to this browser',
})

export const chooseMail = endpoint('PUT /users/notices/mail', {
  access: 'user',
  body: z.object({ on: z.boolean() }),
  status: 204,
  summary: 'Sends a mail about videos that were done while the user was away for ten minutes, or not',
})
