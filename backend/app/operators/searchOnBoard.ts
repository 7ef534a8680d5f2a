import { readDeskAction } from '#projections/desk/readDeskActions.ts'
import { findSales } from '#projections/subscriptions/readSubscription.ts'
import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { searchUsers } from '../../accounts/readUsers.ts'
import type { Found } from '../../desk/contract.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'

/** Texts that are shorter find nothing. */
const SHORTEST = 2

/** Creates the function that finds people, and what is theirs. */
export function searchOnBoard({ database, pool }: Context, { apiKeys, codes }: Pick<Services, 'apiKeys' | 'codes'>) {
  const byId = async (text: string): Promise<Found[]> => {
    if (!isUuid(text)) return []
    const [tasks, action] = await Promise.all([readVideoTasks(database, [text]), readDeskAction(database, text)])
    return [
      ...tasks.map(({ id, user_id, model }) => ({ kind: 'video' as const, id, label: model, user_id })),
      ...(action ? [{ kind: 'action' as const, id: action.id, label: action.kind, user_id: action.user_id }] : []),
    ]
  }
  const sales = async (text: string): Promise<Found[]> =>
    (await findSales(database, text)).map(({ sale_id: id, user_id, amount_cents, currency }) => ({
      ...{ kind: 'payment', id, label: `${id} · ${amount_cents / 100} ${currency}`, user_id },
    }))
  const keys = async (text: string): Promise<Found[]> =>
    (await apiKeys.findNamed(text)).map(({ id, user_id, name, hint }) => ({
      ...{ kind: 'key', id, label: `${name} …${hint}`, user_id },
    }))
  const code = async (text: string): Promise<Found[]> => {
    const found = await codes.lookUp(text)
    if (!found) return []
    const { codeId: id, redeemedBy } = found
    const label = `…${text.slice(-4).toUpperCase()}`
    const users = redeemedBy.length > 0 ? redeemedBy.slice(-10) : [null]
    return users.map((user_id) => ({ kind: 'code', id, label, user_id }))
  }
  const people = async (text: string): Promise<Found[]> =>
    (await searchUsers(pool, text)).map(({ id, email, name }) => ({
      ...{ kind: 'person', id, label: `${name} · ${email}`, user_id: id },
    }))

  return async (q: string): Promise<Found[]> => {
    const text = q.trim()
    if (text.length < SHORTEST) return []
    return (await Promise.all([people, byId, sales, code, keys].map((find) => find(text)))).flat()
  }
}
