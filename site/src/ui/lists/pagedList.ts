import { atom, type ReadableAtom } from 'nanostores'

export interface PageOf<T> {
  readonly items: readonly T[]
  /** Number of items on all pages. */
  readonly total: number
}

export interface PagedList<T> extends PageOf<T> {
  readonly status: 'loading' | 'ready' | 'failed'
  /** Number of the current page, from 1. */
  readonly page: number
  readonly perPage: number
  readonly error?: unknown
}

/**
 * Creates a list that loads one page at a time. The current page stays visible while the next one loads. A failure
 * empties the list. If loads overlap, only the last one takes effect.
 */
export function pagedList<T>(perPage: number, read: (page: number) => Promise<PageOf<T>>) {
  const $list = atom<PagedList<T>>({ status: 'loading', page: 1, perPage, items: [], total: 0 })
  let latest = 0
  let wanted = 1

  const open = async (page: number): Promise<void> => {
    latest += 1
    const mine = latest
    wanted = page
    $list.set({ ...$list.get(), status: 'loading' })
    try {
      const answer = await read(page)
      if (mine !== latest) return
      const last = Math.max(1, Math.ceil(answer.total / perPage))
      // The last item of the last page was deleted.
      if (page > last) return await open(last)
      $list.set({ status: 'ready', page, perPage, ...answer })
    } catch (error) {
      if (mine === latest) $list.set({ status: 'failed', page, perPage, items: [], total: 0, error })
    }
  }

  /** Opens the first page of what is now another list, such as that of another account. Nothing of the former one stays. */
  const openOther = (): Promise<void> => {
    $list.set({ ...$list.get(), items: [], total: 0 })
    return open(1)
  }

  return { $list: $list as ReadableAtom<PagedList<T>>, open, openOther, again: () => open(wanted) }
}
