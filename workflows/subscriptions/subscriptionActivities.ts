import type { WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import type { Engine } from '../engine/engine.port.ts'
import { type KeepTermActivities, keepTerm, LOOK } from './keepTerm.workflow.ts'
import { catchUp, isUnknown, type NoticeDeps, readNotice } from './readNotice.ts'
import type { ReconcileActivities } from './reconcile.workflow.ts'
import { type ReminderDeps, remind } from './remind.ts'
import { settleSubscription } from './settleSubscription.ts'
import type { TakeNoticeActivities } from './takeNotice.workflow.ts'

export type SubscriptionActivities = KeepTermActivities & TakeNoticeActivities & ReconcileActivities

export interface SubscriptionActivityDeps extends Omit<NoticeDeps, 'now' | 'credits'>, ReminderDeps {
  readonly inbox: {
    find(id: string): Promise<{ readonly subject: WebhookSubject; readonly receivedAt: number } | undefined>
    close(id: string, outcome: 'done' | 'not ours' | 'never understood'): Promise<void>
  }
  readonly credits: NoticeDeps['credits'] & { expire(userId: string): Promise<unknown> }
  /** The calendar's time. */
  readonly calendar: () => number
  /** Agreements that the provider may still bill, with whose they are. */
  readonly openAgreements: () => Promise<readonly { userId: string; agreementIds: readonly string[] }[]>
  /** Users with lots whose time is over. */
  readonly withExpiredLots: () => Promise<readonly string[]>
  readonly signal: Engine['signal']
  /** Tells the operator of a notice that was about nothing known for days. */
  readonly onNeverUnderstood: (noticeId: string) => void
}

/** A notice whose subject is unknown for so long is about something that was never asked for here. */
const PATIENCE_MS = 3 * 24 * 3_600_000

/** What is done about subscriptions. */
export function createSubscriptionActivities(deps: SubscriptionActivityDeps): SubscriptionActivities {
  const { inbox, credits, signal } = deps
  const money: NoticeDeps = { ...deps, now: deps.calendar }

  return {
    async settleSubscription({ userId }) {
      const due = await settleSubscription(money, userId)
      const reminder = await remind(deps, userId)
      return reminder === null ? due : Math.min(due ?? reminder, reminder)
    },

    async readNotice({ noticeId }) {
      const notice = await inbox.find(noticeId)
      if (!notice) return 'read'
      const userId = await readNotice(money, notice.subject).catch((error) => {
        if (isUnknown(error)) return 'later'
        throw error
      })
      if (userId === 'later') {
        if (Date.now() - notice.receivedAt < PATIENCE_MS) return 'later'
        deps.onNeverUnderstood(noticeId)
        await inbox.close(noticeId, 'never understood')
        return 'read'
      }
      if (userId !== null) {
        // Who waits for this notice finds the credits granted, too.
        await settleSubscription(money, userId)
        await signal(keepTerm, { userId }, LOOK)
      }
      await inbox.close(noticeId, userId === null ? 'not ours' : 'done')
      return 'read'
    },

    async reconcile() {
      for (const { agreementIds } of await deps.openAgreements())
        for (const agreementId of agreementIds) await catchUp(money, agreementId)
      for (const userId of await deps.withExpiredLots()) await credits.expire(userId)
    },
  }
}
