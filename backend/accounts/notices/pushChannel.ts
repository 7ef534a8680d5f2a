import type { Channel } from '../../kernel/outbox/runOutbox.ts'
import type { PushMessage, PushSender } from './pushSender.port.ts'
import type { PushSubscriptions } from './pushSubscriptions.ts'

const MINUTE_MS = 60_000
/** Times from one attempt to the next. A message that is hours late is no news. */
const WAITS_MS = [0.5, 5, 30, 120].map((minutes) => minutes * MINUTE_MS)

/** Creates what sends push messages to the browsers of open sessions. Their target is the endpoint of the browser. */
export const createPushChannel = (
  subscriptions: Pick<PushSubscriptions, 'find' | 'removeEndpoint'>,
  sender: Pick<PushSender, 'send'>,
): Channel => ({
  async send({ target, body }) {
    const subscription = await subscriptions.find(target)
    if (!subscription) return { outcome: 'refused' }
    const result = await sender.send(subscription, JSON.parse(body) as PushMessage)
    if (result === 'gone') await subscriptions.removeEndpoint(target)
    return { outcome: result === 'sent' ? 'sent' : 'refused' }
  },
  wait: (attempts) => WAITS_MS[attempts - 1],
})
