import { readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import { readSale } from '#projections/subscriptions/readSubscription.ts'
import { listVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { findById } from '../../accounts/accounts.ts'
import type { Case } from '../../cases/contract.ts'
import { CREDIT_ACCOUNT } from '../../credits/events.ts'
import { printReport } from '../../invoices/pdf/printDocument.ts'
import { instant, instantOrNull } from '../../kernel/http/instant.ts'
import { VIDEO_TASK, type VideoFile, type VideoTaskEvent } from '../../tasks/events.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Ledger lines and videos of a dossier. */
const PAGE = { page: 1, perPage: 100 }

/** Creates the function that prints what was delivered to a buyer, as evidence in a dispute. */
export function createDossier({ calendar, database, store }: Context, { downloads }: Pick<Services, 'downloads'>) {
  const userById = findById(database)

  async function fileOf(taskId: string): Promise<VideoFile | undefined> {
    for await (const { type, data } of store.readStream<VideoTaskEvent>(`${VIDEO_TASK}-${taskId}`))
      if (type === 'VideoTaskSucceeded' || type === 'VideoTaskRecovered') return data.file
    return undefined
  }

  async function videosOf(userId: string): Promise<string[]> {
    const [{ tasks }, downloaded] = await Promise.all([listVideoTasks(database, userId, PAGE), downloads.list(userId)])
    const finished = tasks.filter(({ status }) => status === 'Success')
    return Promise.all(
      finished.map(async ({ id, model, credits_consumed, created_at, finished_at }) => {
        const file = await fileOf(id)
        const times = downloaded.get(id)?.join(', ') ?? 'never'
        const made = `ordered ${instant(created_at)}, delivered ${instantOrNull(finished_at)}`
        return `${id}: ${model}, ${credits_consumed} credits, ${made}, ${file?.size} bytes, SHA-256 ${file?.sha256}. Downloaded: ${times}`
      }),
    )
  }

  return async ({ id, kind, subject, user_id: userId, sale_id: saleId }: Case): Promise<Uint8Array | undefined> => {
    const [account, sale] = [userId && (await userById(userId)), saleId && (await readSale(database, saleId))]
    if (!userId || !account || !sale) return undefined
    const { entries, total } = await readCreditEntries(database, userId, PAGE)
    const paid = (cents: number) => `${(cents / 100).toFixed(2)} ${sale.currency}`
    return printReport({
      title: `Evidence of delivery: payment ${saleId}`,
      at: new Date(calendar()).toISOString(),
      sections: [
        {
          head: 'Payment',
          lines: [
            `Case ${id}: ${kind} ${subject}`,
            `Payment ${saleId}: ${paid(sale.amount_cents)}, refunded ${paid(sale.refunded_cents)}`,
            `Credits that it granted: ${sale.credits}`,
          ],
        },
        {
          head: 'Customer',
          lines: [
            `${account.fullName}, ${account.email}, account ${userId}`,
            `Registered ${account.createdAt.toISOString()}, address verified ${account.emailVerifiedAt?.toISOString() ?? 'never'}`,
          ],
        },
        { head: 'Videos delivered, newest first', lines: await videosOf(userId) },
        {
          head: `Ledger, newest ${entries.length} of ${total} lines`,
          lines: entries.map(
            ({ created_at, kind: what, amount, balance_after, task_id, lot_id, revision }) =>
              `${instant(created_at)} ${what} ${amount}, balance ${balance_after}, ${task_id ?? lot_id ?? ''}, event ${revision} of ${CREDIT_ACCOUNT}-${userId}`,
          ),
        },
      ],
    })
  }
}
