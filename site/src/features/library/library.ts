import { atom } from 'nanostores'
import { listModels, myWorks, setVisibility, type Task, type Visibility } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { loadBalance } from '../../api/credits.ts'
import { errorText } from '../../api/errorText.ts'
import { $models, formModel } from '../../api/models.ts'
import { once } from '../../api/once.ts'
import { onRestored } from '../../api/pages/restored.ts'
import { requireMember } from '../../api/session.ts'
import { loadLabelPolicy } from '../../api/videoLabel.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { type Filter, filterQuery, filterSearch, NO_FILTER, readFilter } from './filter.ts'
import { type Change, loadMarks, setMarks } from './marks.ts'

export interface Films {
  /** `more`: the next page loads. `stuck`: it failed to load. `stale`: the list failed to load again. */
  readonly status: 'loading' | 'ready' | 'more' | 'stuck' | 'failed' | 'stale'
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

let latest = 0
/** Filter of the videos that are shown; null before the first ones. */
let listed: Filter | null = null
/** Pages that were loaded. Videos that were deleted since make the next page start earlier. */
let pages = 1
/** Whether videos on the page were marked so that the filter leaves them out. The next page then starts earlier. */
let isStale = false

const read = (filter: Filter, page: number) =>
  call(myWorks, {
    query: {
      ...{ page, per_page: PER_PAGE, ...filterQuery(filter) },
      ...(filter.days ? { from: new Date(Date.now() - filter.days * DAY_MS).toISOString() } : {}),
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
  const filter = $filter.get()
  $films.set({ ...$films.get(), status: 'loading' })
  try {
    let { tasks, total }: Pick<Films, 'tasks' | 'total'> = await read(filter, 1)
    for (let page = 2; page <= count && tasks.length < total && mine === latest; page++)
      tasks = withNew(tasks, (await read(filter, page)).tasks)
    if (mine !== latest) return
    pages = count
    isStale = false
    listed = filter
    $films.set({ status: 'ready', tasks, total })
  } catch (error) {
    if (mine !== latest) return
    const shown = $films.get()
    if (filter === listed && shown.tasks.length > 0) $films.set({ ...shown, status: 'stale' })
    else $films.set({ status: 'failed', tasks: [], total: 0, error })
  }
}

/** Loads all videos that are shown again. */
export const refreshFilms = (): Promise<void> => loadFilms(pages)

/** Loads the next videos, unless all are shown or others load. */
export async function loadMore(): Promise<void> {
  const before = $films.get()
  if (deletions > 0 || !['ready', 'stuck'].includes(before.status)) return
  if (isStale) return loadFilms(pages + 1)
  if (before.tasks.length >= before.total) return
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

/** Changes the filter, also in the page's address, and loads the videos that match it. */
export function setFilter(change: Partial<Filter>): Promise<void> {
  $filter.set({ ...$filter.get(), ...change })
  history.replaceState(history.state, '', location.pathname + filterSearch($filter.get()) + location.hash)
  return loadFilms()
}

/** Marks videos. Those that the filter leaves out stay on the page until others load. Returns whether the server accepted it. */
export async function markFilms(ids: readonly string[], change: Change): Promise<boolean> {
  const isAccepted = await setMarks(ids, change)
  const { favourites, folder } = $filter.get()
  const concerns = (favourites && 'favourite' in change) || (folder !== '' && 'folder' in change)
  isStale ||= isAccepted && concerns
  return isAccepted
}

/** Marks videos, and takes those off the page that the filter leaves out. Returns whether the server accepted it. */
export async function sortFilms(ids: readonly string[], change: Change): Promise<boolean> {
  const isAccepted = await markFilms(ids, change)
  if (isStale) await refreshFilms()
  return isAccepted
}

/** Shows a video to the user's team, or to the user alone. Returns it as it is now. */
export async function showTo(visibility: Visibility, film: Task): Promise<Task> {
  const t = translate()
  try {
    await call(setVisibility, { params: { id: film.id }, body: { visibility } })
  } catch (error) {
    showToast('danger', errorText(error))
    return film
  }
  const changed = { ...film, visibility }
  const films = $films.get()
  $films.set({ ...films, tasks: films.tasks.map((task) => (task.id === film.id ? changed : task)) })
  showToast('success', t(visibility === 'team' ? 'library.sharedDone' : 'library.unsharedDone'))
  return changed
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
    else await drop(gone)
  }
}

/** Takes videos off the page. The grid then loads the next ones if it needs them; without videos there is no grid. */
async function drop(gone: ReadonlySet<string>): Promise<void> {
  const { tasks, total, ...rest } = $films.get()
  const left = tasks.filter(({ id }) => !gone.has(id))
  const others = total - (tasks.length - left.length)
  $films.set({ ...rest, tasks: left, total: others })
  if (left.length === 0 && others > 0) await loadFilms()
}

const loadModels = async () => $models.set((await call(listModels)).map(formModel))

/** Loads the library, or redirects visitors to the login page. Runs once per page. */
export const openLibrary = once(async () => {
  $filter.set(readFilter(location.search))
  const user = await requireMember()
  $library.set(user ? 'open' : 'away')
  if (!user) return
  onRestored(() => navigator.onLine && void Promise.all([refreshFilms(), loadMarks()]))
  await Promise.all([loadBalance(), loadFilms(), loadMarks(), loadModels().catch(() => {}), loadLabelPolicy()])
})
