import { atom, type ReadableAtom } from 'nanostores'

export interface PageOf<T> {
  readonly items: readonly T[]
  /** Of all pages. */
  readonly total: number
}

export interface PagedList<T> extends PageOf<T> {
  readonly status: 'loading' | 'ready' | 'failed'
  /** That the items are of, from 1. */
  readonly page: number
  readonly perPage: number
  /** Why it failed. */
  readonly error?: unknown
}

/**
 * A list that is read page by page. What is shown stays while the next page is on its way; a failure empties the list, and
 * only the page asked for last counts.
 */
export function pagedList<T>(perPage: number, read: (page: number) => Promise<PageOf<T>>) {
  const $list = atom<PagedList<T>>({ status: 'loading', page: 1, perPage, items: [], total: 0 })
  let asked = 0
  let wanted = 1

  const open = async (page: number): Promise<void> => {
    asked += 1
    const mine = asked
    wanted = page
    $list.set({ ...$list.get(), status: 'loading' })
    try {
      const answer = await read(page)
      if (mine !== asked) return
      const last = Math.max(1, Math.ceil(answer.total / perPage))
      // The last item of the last page is gone.
      if (page > last) return await open(last)
      $list.set({ status: 'ready', page, perPage, ...answer })
    } catch (error) {
      if (mine === asked) $list.set({ status: 'failed', page, perPage, items: [], total: 0, error })
    }
  }

  return { $list: $list as ReadableAtom<PagedList<T>>, open, again: () => open(wanted) }
}
