import { readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import { listVideoTasks, readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { AccountServices } from '../../accounts/accountServices.ts'
import { findById } from '../../accounts/accounts.ts'
import { parseUserAgent } from '../../accounts/sessions/userAgent.ts'
import { isSuspended } from '../../accounts/suspensions.ts'
import type { Person } from '../../desk/contract.ts'
import { createNotes } from '../../desk/notes.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { API_BASE } from '../../kernel/http/contract.ts'
import { instant } from '../../kernel/http/instant.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { pagesOf } from '../../tasks/shares/shareRemovals.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import { type DeskOnBoard, saleOf } from './deskOnBoard.ts'

/** Things of each kind on the page of a person. */
const PAGE = { page: 1, perPage: 20 }

/** Returns the path of a video's still; null until it is finished. */
const posterOf = ({ id, status }: { id: string; status: string }): string | null =>
  status === 'Success' ? `${API_BASE}/desk/videos/${id}/poster` : null

const balanceOf = async (database: Database, userId: string): Promise<Person['balance']> => {
  const { entries, total } = await readCreditEntries(database, userId, PAGE)
  const films = await readVideoTasks(
    database,
    entries.flatMap(({ task_id }) => task_id ?? []),
  )
  const posters = new Map(films.map((film) => [film.id, posterOf(film)]))
  const items = entries.map(({ task_id, lot_id, user_id: _, spent_by: __, ...entry }) => ({
    ...entry,
    created_at: instant(entry.created_at),
    ...(task_id !== null && { task_id }),
    // Prompts are not for operators.
    ...(task_id !== null && posters.has(task_id) && { film: { prompt: '', thumbnail_url: posters.get(task_id)! } }),
    ...(lot_id !== null && { lot_id }),
  }))
  return { items, total }
}

const videosOf = async (
  { database, pool }: Pick<Context, 'database' | 'pool'>,
  userId: string,
): Promise<Person['videos']> => {
  const { tasks, total } = await listVideoTasks(database, userId, PAGE)
  const ids = tasks.map(({ id }) => id)
  const pages = await pagesOf(pool, ids)
  const items = tasks.map(({ id, status, model, engine, engine_model, error_code, error_detail, ...task }) => ({
    ...{ id, status, model, engine, engine_model, error_code, error_detail, credits: task.credits },
    created_at: instant(task.created_at),
    poster: posterOf({ id, status }),
    page: pages.get(id) ?? null,
  }))
  return { items, total }
}

/** Creates the function that reads everything about a person; undefined if there is no such account. */
export function personOnBoard(
  context: Context,
  services: Services,
  { factors, securityLog, sessions }: Pick<AccountServices, 'factors' | 'securityLog' | 'sessions'>,
  { listActions }: Pick<DeskOnBoard, 'listActions'>,
) {
  const { database, pool } = context
  const { apiKeys, credits, outbox, subscriptionReads } = services
  const userById = findById(database)
  const notes = createNotes(pool)

  const payments = async (userId: string): Promise<Person['payments']> => {
    const { invoices, total } = await subscriptionReads.invoices(userId, PAGE)
    const items = invoices.map(async (invoice) => {
      const { payment, amount: amount_cents, refunded: refunded_cents, currency } = invoice
      const sale = { user_id: userId, currency, amount_cents, refunded_cents, credits: invoice.credits }
      const { refundable, unused } = saleOf(sale, await credits.usedOf(userId, payment))
      return { ...invoice, refundable, unused }
    })
    return { items: await Promise.all(items), total }
  }

  const security = async (userId: string): Promise<Person['security']> => {
    const { rows, total } = await securityLog.list(userId, PAGE.page, PAGE.perPage)
    return { items: rows.map((row) => ({ ...row, at: instant(row.at) })), total }
  }

  const sessionsOf = async (userId: string): Promise<Person['sessions']> =>
    (await sessions.list(userId)).map(({ id, user_agent, created_at, last_used_at }) => ({
      ...{ id, ...parseUserAgent(user_agent) },
      ...{ created_at: instant(created_at), last_used_at: instant(last_used_at) },
    }))

  return async (id: string): Promise<Person | undefined> => {
    const account = isUuid(id) ? await userById(id) : null
    if (!account) return undefined
    const parts = await Promise.all([
      ...([isSuspended(database, id), factors.methods(id), subscriptionReads.stats(id)] as const),
      ...([balanceOf(database, id), videosOf(context, id), payments(id), apiKeys.list(id), sessionsOf(id)] as const),
      ...([outbox.sent(id, PAGE.perPage), security(id), notes.list(id)] as const),
      listActions({ userId: id, status: null }, PAGE.page, PAGE.perPage),
    ])
    const [suspended, second_factors, plan, entries, films, paid, keys, open, sent, log, written, acts] = parts
    return {
      ...{ id, email: account.email, name: account.fullName, language: account.language, suspended },
      created_at: account.createdAt.toISOString(),
      verified_at: account.emailVerifiedAt?.toISOString() ?? null,
      ...{ second_factors: [...second_factors], plan, balance: entries, videos: films, payments: paid, keys },
      ...{ sessions: open, mails: sent.map((mail) => ({ ...mail, at: instant(mail.at) })), security: log },
      ...{ notes: written, actions: { items: acts.actions, total: acts.total } },
    }
  }
}
