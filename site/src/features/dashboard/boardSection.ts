import { atom, type ReadableAtom } from 'nanostores'

/** What a part of the board shows. What it showed stays while it is read again, and when that fails. */
export interface Section<T> {
  /** `unfilled`: there was an answer, but it did not say `success`. */
  readonly status: 'loading' | 'filled' | 'unfilled' | 'failed'
  readonly data: T | null
  /** Why it failed. */
  readonly error?: unknown
}

export interface BoardSection<T> {
  readonly $section: ReadableAtom<Section<T>>
  load(): Promise<void>
}

/** A part of the board with its call; of several loads only the last counts. */
export function boardSection<T>(read: () => Promise<{ readonly success: boolean; readonly data: T }>): BoardSection<T> {
  const $section = atom<Section<T>>({ status: 'loading', data: null })
  let asked = 0
  const load = async (): Promise<void> => {
    asked += 1
    const mine = asked
    $section.set({ status: 'loading', data: $section.get().data })
    const next = await read().then(
      ({ success, data }): Section<T> =>
        success === true ? { status: 'filled', data } : { status: 'unfilled', data: null },
      (error: unknown): Section<T> => ({ status: 'failed', data: $section.get().data, error }),
    )
    if (mine === asked) $section.set(next)
  }
  return { $section, load }
}
