import { readDeskActions } from '#projections/desk/readDeskActions.ts'
import { readSale } from '#projections/subscriptions/readSubscription.ts'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { findAccount, findById } from '../../accounts/accounts.ts'
import { domainFault } from '../../accounts/mails/mailAddress.ts'
import { aboutAddress } from '../../desk/aboutAddress.ts'
import { createDesk, type Sale } from '../../desk/desk.ts'
import type { DeskRoutes } from '../../desk/routes.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { instant, instantOrNull } from '../../kernel/http/instant.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { videoTask } from '../../tasks/videoTask.decider.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import type { OpenOperators } from './openOperators.ts'

export type DeskOnBoard = Pick<DeskRoutes, 'desk' | 'listActions'>

/** Creates the desk: what operators order about people. */
export function deskOnBoard(
  context: Context,
  { credits, userKeys }: Pick<Services, 'credits' | 'userKeys'>,
  { factors }: Pick<AccountServices, 'factors'>,
  { operators, passkeys }: OpenOperators,
): DeskOnBoard {
  const { config, database, handle } = context
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
    sealAddress: (userId, actionId, address) => userKeys.encrypt(aboutAddress(userId, actionId), address),
    async assertPossible(kind, userId, address) {
      if (kind === 'remove_factor' && (await factors.methods(userId)).length === 0)
        throw new Rejection('no_second_factor', 'This account has no second factor.')
      if (address === undefined) return
      const fault = domainFault(address, config.production)
      if (fault) throw new ValidationError([{ path: 'address', code: fault }])
      if (await findAccount(database.em.fork(), address))
        throw new Rejection('email_already_registered', 'Another account has this address.')
    },
    subjects: {
      user: async (id) => (isUuid(id) && (await userById(id)) ? { userId: id } : undefined),
      async task(id) {
        // From the log, because the task may have been ordered just now.
        const { state } = await handle.read(videoTask, id)
        return 'order' in state ? { userId: state.order.userId } : undefined
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
        due_at: instantOrNull(row.due_at),
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
