import { taskEvents } from '#projections/testing/taskEvents.ts'
import { createCredits } from '../../credits/credits.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { textHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { SubscriptionCommand } from '../../subscriptions/commands.ts'
import { subscription } from '../../subscriptions/subscription.decider.ts'
import { type RenderLaneCommand, renderLane } from '../../tasks/renderLane.decider.ts'
import { type VideoTaskCommand, videoTask } from '../../tasks/videoTask.decider.ts'
import type { operatorSigner } from '../operatorKeys.ts'

/** Ids that are readable in test output. */
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

export const LEDGER = {
  buyer: id(1),
  other: id(2),
  agreement: 'I-AGREEMENT',
  sale: 'SALE-1',
  finished: id(11),
  failed: id(12),
  open: id(13),
  spentByOther: id(14),
  /** Content of every delivered file. */
  video: 'a video',
} as const

/**
 * Runs commands on two accounts, one minute apart in the last hour: a sale, its partial refund, an adjustment, and videos
 * that were paid for, never submitted or are still in progress.
 * @param sign signs the adjustment, whose operator is "ada"
 */
export async function seedLedger(store: EventStore, sign?: ReturnType<typeof operatorSigner>): Promise<void> {
  const { buyer, other, agreement, sale, finished, failed, open, spentByOther } = LEDGER
  let now = Date.now() - 3_600_000
  const periodEnd = new Date(now + 31 * 24 * 3_600_000).toISOString()
  const minuteLater = () => {
    now += 60_000
    return now
  }
  const handle = createHandle(store)
  const credits = createCredits(handle, minuteLater)
  const at = () => new Date(minuteLater()).toISOString()
  const context = (actor: string, commandId: string) => ({ commandId, actor, correlationId: commandId })
  const subscribe = (command: SubscriptionCommand) =>
    handle(subscription, buyer, command, context('system', `${command.type} ${command.at}`))
  const hold = (userId: string, taskId: string) =>
    credits.hold({ userId, taskId, amount: 30, openLimit: 7 }, context(`user:${userId}`, `hold ${taskId}`)).send()
  const task = (taskId: string, command: VideoTaskCommand) =>
    handle(videoTask, taskId, command, context('system', `${command.type} ${taskId}`))
  const submit = (taskId: string, userId: string) => {
    const { at: _, ...order } = taskEvents(taskId, userId).submitted.data
    return task(taskId, { type: 'Submit', order, at: at() })
  }
  const lane = (type: RenderLaneCommand['type'], taskId: string, userId: string) => {
    const command = { type, userId, taskId, limit: 1, at: at() } as RenderLaneCommand
    return handle(renderLane, userId, command, context('system', `${type} ${taskId}`))
  }
  const deliver = async (taskId: string, userId: string) => {
    const { succeeded } = taskEvents(taskId, userId)
    await submit(taskId, userId)
    await lane('ClaimSlot', taskId, userId)
    await task(taskId, { type: 'RequestRender', attempt: taskId, provider: 'demo', at: at() })
    const file = { ...succeeded.data.file, sha256: textHash(LEDGER.video) }
    await task(taskId, { type: 'Succeed', file, at: at() })
  }

  await credits.grantFreeCredits(buyer, 60)
  await credits.grantFreeCredits(other, 60)
  const price = { priceCents: 1299, currency: 'USD' }
  const about = { userId: buyer, agreementId: agreement }
  await subscribe({ type: 'RequestSubscription', ...about, tier: 'standard', ...price, startsAt: null, at: at() })
  const status = { status: 'active', statusAt: at(), trial: false, periodEnd } as const
  await subscribe({ type: 'ReportStatus', ...about, ...status, at: at() })
  const sold = { saleId: sale, amountCents: 1299, currency: 'USD', credits: 100, soldAt: at() }
  await subscribe({ type: 'ReportSale', ...about, ...sold, periodEnd, at: at() })
  await credits.grantSale(buyer, { saleId: sale, amount: 100, source: 'subscription' })
  await hold(buyer, finished)
  await deliver(finished, buyer)
  await lane('ReleaseSlot', finished, buyer)
  await credits.capture(buyer, finished).send()
  await hold(other, spentByOther)
  await deliver(spentByOther, other)
  await hold(buyer, failed)
  await task(failed, { type: 'Abandon', taskId: failed, at: at() })
  await credits.release(buyer, failed, 'not delivered')
  const gift = { adjustmentId: id(21), amount: 10, reason: 'an apology', ...(sign && { sign }) }
  await credits.adjust(buyer, gift, context('operator:ada', 'gift'))
  const refund = { saleId: sale, reversalId: 'REFUND-1', amountCents: 520, kind: 'refund' } as const
  await subscribe({ type: 'ReportReversal', userId: buyer, ...refund, at: at() })
  const claim = { saleId: sale, reversalId: 'REFUND-1', amount: 40, stillClaimed: 40, reason: 'refund' }
  await credits.reverseSale(buyer, claim)
  await credits.capture(other, spentByOther).send()
  await hold(buyer, open)
  await submit(open, buyer)
}
