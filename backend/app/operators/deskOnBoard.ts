import { readDeskActions } from '#projections/desk/readDeskActions.ts'
import { readSale } from '#projections/subscriptions/readSubscription.ts'
import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { findById } from '../../accounts/accounts.ts'
import { createDesk, type Sale } from '../../desk/desk.ts'
import type { DeskRoutes } from '../../desk/routes.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { instant, instantOrNull } from '../../kernel/http/instant.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import type { OpenOperators } from './openOperators.ts'

export type DeskOnBoard = Pick<DeskRoutes, 'desk' | 'listActions'>

/** Creates the desk: what operators order about people. */
export function deskOnBoard(
  context: Context,
  { credits }: Services,
  { operators, passkeys }: OpenOperators,
): DeskOnBoard {
  const { config, database } = context
  const userById = findById(database)
  const desk = createDesk({
    ...context,
    ...config.desk,
    deciders: operators.deciders,
    signing: {
      hasKeys: ({ id, name }) => operators.recordKeys(id, name),
      options: passkeys.signOptions,
      verify: passkeys.verifySigned,
    },
    subjects: {
      user: async (id) => (isUuid(id) && (await userById(id)) ? { userId: id } : undefined),
      async task(id) {
        const [task] = isUuid(id) ? await readVideoTasks(database, [id]) : []
        return task && { userId: task.user_id }
      },
      async sale(id) {
        const row = await readSale(database, id)
        return row && saleOf(row, await credits.usedOf(row.user_id, id))
      },
    },
  })
  return {
    desk,
    async listActions(filter, page, perPage) {
      const { rows, total } = await readDeskActions(database, filter, { page, perPage })
      const times = (row: (typeof rows)[number]) => ({
        asked_at: instant(row.asked_at),
        ended_at: instantOrNull(row.ended_at),
      })
      return { actions: rows.map((row) => ({ ...row, ...times(row) })), total }
    },
  }
}

/** Returns what of a sale can be refunded. One that granted no credits was not used. */
export function saleOf(
  sale: Readonly<{ user_id: string; currency: string; amount_cents: number; refunded_cents: number; credits: number }>,
  usedCredits: number,
): Sale {
  const { user_id: userId, currency, amount_cents: amount, credits } = sale
  const refundable = amount - sale.refunded_cents
  const unused = credits === 0 ? amount : Math.floor((amount * Math.max(0, credits - usedCredits)) / credits)
  return { userId, currency, refundable, unused: Math.min(unused, refundable) }
}
