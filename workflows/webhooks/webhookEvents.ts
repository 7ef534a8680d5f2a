import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import { available, isValid } from '#backend/credits/lots.rules.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import type { EndCause, SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import type { VideoTaskEvent } from '#backend/tasks/events.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { isCharged } from '#backend/tasks/videoTask.rules.ts'
import type { EventType } from '#backend/webhooks/contract.ts'

/** What a webhook says, without its time. */
export interface News {
  readonly type: EventType
  readonly userId: string
  /** Identifies the news: one endpoint gets it once. */
  readonly key: string
  /** ISO instant of the event. */
  readonly at: string
  /** Returns what the body says; undefined if there is nothing to tell after all. */
  readonly data: (from: Pick<Handle, 'read'>, publicUrl: string) => Promise<object | undefined>
}

type Known = VideoTaskEvent | CreditAccountEvent | SubscriptionEvent

/** Ends of agreements that took nothing from the user: another one took over, or it never started. */
const UNTOLD: readonly EndCause[] = ['replaced', 'withdrawn', 'not_approved', 'declined']
/** The share of the credits from which they are low. As in the mails. */
const LOW = 1 / 5

/** Returns the news of an event; undefined for those that programs are not told. */
export function newsOf({ id: key, ...event }: Stored<Known>): News | undefined {
  switch (event.type) {
    case 'VideoTaskSucceeded':
    case 'VideoTaskRecovered': {
      const { taskId, userId, at } = event.data
      return { type: 'video.completed', userId, key, at, data: (...from) => videoData(taskId, null, ...from) }
    }
    case 'VideoTaskFailed': {
      const { taskId, userId, at, code } = event.data
      return { type: 'video.failed', userId, key, at, data: (...from) => videoData(taskId, code, ...from) }
    }
    case 'CreditsCaptured': {
      const { userId, at } = event.data
      return {
        type: 'credits.low',
        userId,
        key: `${userId} ${at.slice(0, 10)}`,
        at,
        data: (from) => creditData(userId, at, from),
      }
    }
    case 'SubscriptionPaid': {
      const { userId, at, agreementId: id, tier, credits, periodStart, periodEnd: period_end } = event.data
      const data = async ({ read }: Pick<Handle, 'read'>) => {
        const { sales } = (await read(subscription, userId)).state
        const isFirst = !sales.some((sale) => sale.agreementId === id && sale.periodStart < periodStart)
        return isFirst ? undefined : { id, plan: tier, credits, period_end }
      }
      return { type: 'subscription.renewed', userId, key, at, data }
    }
    case 'SubscriptionEnded': {
      const { userId, at, agreementId: id, cause } = event.data
      if (UNTOLD.includes(cause)) return undefined
      return { type: 'subscription.ended', userId, key, at, data: async () => ({ id, cause }) }
    }
    default:
      return undefined
  }
}

/** Says what receivers need to ask for the rest. The prompt stays here. */
async function videoData(id: string, failure: string | null, { read }: Pick<Handle, 'read'>, publicUrl: string) {
  const { state } = await read(videoTask, id)
  // Its owner may have deleted it since.
  const order = 'order' in state ? state.order : undefined
  const self = `${publicUrl}/v1/videos/${id}`
  return {
    ...{ id, object: 'video', status: failure ? 'failed' : 'completed', url: `${publicUrl}/film/${id}` },
    model: order?.model ?? null,
    credits: isCharged(state) ? (order?.credits ?? null) : 0,
    error: failure && { code: failure },
    links: failure ? { self } : { self, content: `${self}/content` },
  }
}

async function creditData(userId: string, at: string, { read }: Pick<Handle, 'read'>) {
  const { lots } = (await read(creditAccount, userId)).state
  const remaining = available(lots, at)
  const granted = lots.reduce((sum, lot) => sum + (isValid(lot, at) ? lot.granted : 0), 0)
  return remaining > granted * LOW ? undefined : { remaining, granted }
}
