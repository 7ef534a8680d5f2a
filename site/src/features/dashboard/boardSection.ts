import { atom, type ReadableAtom } from 'nanostores'

/** The state of a section. Its data stays visible while reloading and after a failure. */
export interface Section<T> {
  /** `unfilled`: the response did not say `success`. */
  readonly status: 'loading' | 'filled' | 'unfilled' | 'failed'
  readonly data: T | null
  readonly error?: unknown
}

export interface BoardSection<T> {
  readonly $section: ReadableAtom<Section<T>>
  load(): Promise<void>
}

/** Creates a section from its call. If loads overlap, only the last one counts. */
export function boardSection<T>(read: () => Promise<{ readonly success: boolean; readonly data: T }>): BoardSection<T> {
  const $section = atom<Section<T>>({ status: 'loading', data: null })
  let latest = 0
  const load = async (): Promise<void> => {
    latest += 1
    const mine = latest
    $section.set({ status: 'loading', data: $section.get().data })
    const next = await read().then(
      ({ success, data }): Section<T> =>
        success === true ? { status: 'filled', data } : { status: 'unfilled', data: null },
      (error: unknown): Section<T> => ({ status: 'failed', data: $section.get().data, error }),
    )
    if (mine === latest) $section.set(next)
  }
  return { $section, load }
}
