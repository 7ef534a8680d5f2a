import { atom } from 'nanostores'
import { listModels, myWorks, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { loadBalance } from '../../api/credits.ts'
import { $models, formModel } from '../../api/models.ts'
import { once } from '../../api/once.ts'
import { onRestored } from '../../api/pages/restored.ts'
import { requireMember } from '../../api/session.ts'
import { loadLabelPolicy } from '../../api/videoLabel.ts'
import { loadMarks } from './marks.ts'

export interface Filter {
  readonly text: string
  readonly type: Task['task_type'] | ''
  readonly model: string
  /** Latest days that the videos are from; 0 for all. */
  readonly days: number
  readonly favourites: boolean
  /** Name of a folder; empty for all. */
  readonly folder: string
}

export const NO_FILTER: Filter = { text: '', type: '', model: '', days: 0, favourites: false, folder: '' }

export interface Films {
  /** `more`: the next page loads. `stuck`: it failed to load. */
  readonly status: 'loading' | 'ready' | 'more' | 'stuck' | 'failed'
  readonly tasks: readonly Task[]
  readonly total: number
  readonly error?: unknown
}

const PER_PAGE = 60
const DAY_MS = 86_400_000

/** State of the page. `away` means that the browser is being redirected to the login page. */
export const $library = atom<'loading' | 'open' | 'away'>('loading')
export const $filter = atom<Filter>(NO_FILTER)
export const $films = atom<Films>({ status: 'loading', tasks: [], total: 0 })

export const isFiltered = (filter: Filter): boolean =>
  Object.entries(NO_FILTER).some(([name, none]) => filter[name as keyof Filter] !== none)

let latest = 0
/** Pages that were loaded. Videos that were deleted since make the next page start earlier. */
let pages = 1

const read = ({ text, type, model, days, favourites, folder }: Filter, page: number) =>
  call(myWorks, {
    query: {
      ...{ page, per_page: PER_PAGE },
      ...(text ? { q: text } : {}),
      ...(type ? { task_type: type } : {}),
      ...(model ? { model } : {}),
      ...(days ? { from: new Date(Date.now() - days * DAY_MS).toISOString() } : {}),
      ...(favourites ? { favourites: 'true' as const } : {}),
      ...(folder ? { folder } : {}),
    },
  })

/** Appends the videos that are not yet shown. */
function withNew(shown: readonly Task[], read: readonly Task[]): readonly Task[] {
  const known = new Set(shown.map(({ id }) => id))
  return [...shown, ...read.filter(({ id }) => !known.has(id))]
}

/** Loads the first pages of the videos that match the filter. Only the latest call takes effect. */
export async function loadFilms(count = 1): Promise<void> {
  latest += 1
  const mine = latest
  $films.set({ ...$films.get(), status: 'loading' })
  try {
    let { tasks, total }: Pick<Films, 'tasks' | 'total'> = await read($filter.get(), 1)
    for (let page = 2; page <= count && tasks.length < total && mine === latest; page++)
      tasks = withNew(tasks, (await read($filter.get(), page)).tasks)
    if (mine !== latest) return
    pages = count
    $films.set({ status: 'ready', tasks, total })
  } catch (error) {
    if (mine === latest) $films.set({ status: 'failed', tasks: [], total: 0, error })
  }
}

/** Loads the next videos, unless all are shown or others load. */
export async function loadMore(): Promise<void> {
  const before = $films.get()
  if (deletions > 0 || !['ready', 'stuck'].includes(before.status) || before.tasks.length >= before.total) return
  const mine = latest
  $films.set({ ...before, status: 'more' })
  try {
    const page = Math.min(pages, Math.floor(before.tasks.length / PER_PAGE)) + 1
    const { tasks, total } = await read($filter.get(), page)
    if (mine !== latest) return
    pages = page
    const shown = $films.get().tasks
    const all = withNew(shown, tasks)
    // A page without a new video would be loaded for ever.
    $films.set({ status: 'ready', tasks: all, total: all.length > shown.length ? total : shown.length })
  } catch (error) {
    if (mine === latest) $films.set({ ...$films.get(), status: 'stuck', error })
  }
}

/** Changes the filter and loads the videos that match it. */
export function setFilter(change: Partial<Filter>): Promise<void> {
  $filter.set({ ...$filter.get(), ...change })
  return loadFilms()
}

/** Deletions in progress. Pages that are read during one could lack the videos that move up. */
let deletions = 0

/** Deletes videos and removes those that `remove` returns from the page. */
export async function removeFilms(remove: () => Promise<ReadonlySet<string>>): Promise<void> {
  const before = $films.get()
  deletions += 1
  // Discards a page that is on its way.
  if (before.status === 'more') {
    latest += 1
    $films.set({ ...before, status: 'ready' })
  }
  const mine = latest
  let gone: ReadonlySet<string> = new Set()
  try {
    gone = await remove()
  } finally {
    deletions -= 1
    // The list was read before the deletion.
    if (before.status === 'loading' || mine !== latest) await loadFilms()
    else drop(gone)
  }
}

/** Takes videos off the page. The grid then loads the next ones if it needs them. */
function drop(gone: ReadonlySet<string>): void {
  const { tasks, total, ...rest } = $films.get()
  const left = tasks.filter(({ id }) => !gone.has(id))
  $films.set({ ...rest, tasks: left, total: total - (tasks.length - left.length) })
}

const loadModels = async () => $models.set((await call(listModels)).map(formModel))

/** Loads the library, or redirects visitors to the login page. Runs once per page. */
export const openLibrary = once(async () => {
  const user = await requireMember()
  $library.set(user ? 'open' : 'away')
  if (!user) return
  onRestored(() => navigator.onLine && void Promise.all([loadFilms(pages), loadMarks()]))
  await Promise.all([loadBalance(), loadFilms(), loadMarks(), loadModels().catch(() => {}), loadLabelPolicy()])
})
