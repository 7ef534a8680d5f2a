import { type Changes, RELISTENED } from './changes.ts'

/** Bounds the effect of a lost notification. */
const MAX_AGE_MS = 10_000
const MAX_ROWS = 10_000

/**
 * Returns `read` with a cache by id. A row is read again after the read model `model` has changed it, and after ten
 * seconds. Only for values that may be a notification old, such as the limits of a plan.
 * @example const allowance = cacheRows(changes, 'currentSubscriptions', readAllowance)
 */
export function cacheRows<Row>(
  changes: Pick<Changes, 'subscribe'>,
  model: string,
  read: (id: string) => Promise<Row>,
): (id: string) => Promise<Row> {
  const rows = new Map<string, { readonly row: Row; readonly until: number }>()
  let changed = 0
  changes.subscribe(({ name, ids }) => {
    if (name !== model && name !== RELISTENED) return
    changed++
    // A read model that was rebuilt names no rows.
    if (ids.length === 0) rows.clear()
    for (const id of ids) rows.delete(id)
  })

  return async (id) => {
    const cached = rows.get(id)
    if (cached && performance.now() < cached.until) return cached.row
    const before = changed
    const row = await read(id)
    if (rows.size >= MAX_ROWS) rows.clear()
    // A row that changed in the meantime may have been read before the change.
    if (changed === before) rows.set(id, { row, until: performance.now() + MAX_AGE_MS })
    return row
  }
}
