import { atom, type ReadableAtom } from 'nanostores'

/** State of a dashboard section. Its data stays available during a reload and after a failed one. */
export interface Section<T> {
  /** `unfilled` means that `success` was not true in the response. */
  readonly status: 'loading' | 'filled' | 'unfilled' | 'failed'
  readonly data: T | null
  /** Why the latest read failed. Stays during a reload, so that the report and its button stay too. */
  readonly error?: unknown
  /** Whether the server shortened the addresses in the data. */
  readonly masked?: boolean
}

export interface BoardSection<T> {
  readonly $section: ReadableAtom<Section<T>>
  /** @param quiet keeps what is shown as it is while it loads */
  load(quiet?: boolean): Promise<void>
}

type Read<T> = Readonly<{ success: boolean; data: T; masked?: boolean }>

/** Creates a section that loads its data with `read`. If loads overlap, only the latest one updates the section. */
export function boardSection<T>(read: () => Promise<Read<T>>): BoardSection<T> {
  const $section = atom<Section<T>>({ status: 'loading', data: null })
  let latest = 0
  const load = async (quiet = false): Promise<void> => {
    latest += 1
    const mine = latest
    if (!quiet) $section.set({ ...$section.get(), status: 'loading' })
    const next = await read().then(
      ({ success, data, masked }): Section<T> =>
        success === true ? { status: 'filled', data, masked } : { status: 'unfilled', data: null },
      (error: unknown): Section<T> => ({ ...$section.get(), status: 'failed', error }),
    )
    if (mine === latest) $section.set(next)
  }
  return { $section, load }
}

/** Creates a section that shows a page of a list. `open` loads another page. */
export function pagedSection<T extends { readonly success: boolean; readonly masked?: boolean }>(
  perPage: number,
  read: (query: { page: number; per_page: number }) => Promise<T>,
) {
  let page = 1
  const section = boardSection(async () => {
    const asked = page
    const data = await read({ page: asked, per_page: perPage })
    return { ...data, data: { ...data, page: asked } }
  })
  const open = (wanted: number): Promise<void> => {
    page = wanted
    return section.load()
  }
  return { ...section, open }
}
