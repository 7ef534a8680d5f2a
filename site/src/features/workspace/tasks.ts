/** Store of the user's loaded tasks, newest first. */
import { atom, computed } from 'nanostores'
import { cancelTask, deleteTask, getTask, listTasks, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { loadBalance } from '../../api/credits.ts'
import { errorText } from '../../api/errorText.ts'
import { whileBusy } from '../../api/taskActions.ts'
import { isFinal, isInProgress, isWaiting, readStatus } from '../../api/taskProgress.ts'
import { localHref, textAt, translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { batchOf } from './batches.ts'
import { loadQueue } from './queue.ts'
import { showTake } from './stage/chosenTake.ts'

export interface TaskList {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly tasks: readonly Task[]
  readonly total: number
}

const PER_PAGE = 20
export const $tasks = atom<TaskList>({ status: 'loading', tasks: [], total: 0 })
export const $inProgress = computed($tasks, ({ tasks }) => tasks.filter(isInProgress).length)

/** Ids of deleted tasks, so that an update still in flight does not restore one. */
const removed = new Set<string>()
/** For each list request in flight: ids of tasks updated since. For these, the store is newer than the response. */
const updatedWhileLoading = new Set<Set<string>>()
let begun = 0
/** Number of the latest list request whose response the store has. */
let applied = 0

const readPage = (page: number) => call(listTasks, { query: { page, per_page: PER_PAGE } })
const isKept = ({ id }: Task) => !removed.has(id)

/** Reloads the first page and keeps older tasks that are already loaded. @throws ApiError */
export async function loadTasks(): Promise<void> {
  begun += 1
  const mine = begun
  const updated = new Set<string>()
  updatedWhileLoading.add(updated)
  const { tasks: read, total } = await readPage(1).finally(() => updatedWhileLoading.delete(updated))
  // Responses can overtake each other.
  if (mine < applied) return
  applied = mine
  const list = $tasks.get()
  const known = new Map(list.tasks.map((task) => [task.id, task]))
  const fresh = read.filter(isKept).map((task) => (updated.has(task.id) ? (known.get(task.id) ?? task) : task))
  const inFresh = new Set(fresh.map(({ id }) => id))
  const created = list.tasks.filter(({ id }) => updated.has(id) && !inFresh.has(id))
  const last = read.at(-1)
  const older = last && read.length === PER_PAGE ? list.tasks.filter((task) => isOlder(task, last)) : []
  $tasks.set({
    status: 'ready',
    tasks: [...created.filter((task) => !older.includes(task)), ...fresh, ...older],
    total,
  })
}

/** Ids are time-ordered, so they break ties between tasks created in the same millisecond. */
const isOlder = (a: Task, b: Task) => a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id)

export const $loadingMore = atom(false)

/** Loads the next page of older tasks. @throws ApiError */
export async function loadOlderTasks(): Promise<void> {
  if ($loadingMore.get()) return
  $loadingMore.set(true)
  try {
    // Round down to read a partial page again: deletions shift older tasks towards the first page.
    const { tasks: read, total } = await readPage(Math.floor($tasks.get().tasks.length / PER_PAGE) + 1)
    const { tasks } = $tasks.get()
    const shown = new Set(tasks.map(({ id }) => id))
    $tasks.set({
      status: 'ready',
      tasks: [...tasks, ...read.filter((task) => isKept(task) && !shown.has(task.id))],
      total,
    })
  } finally {
    $loadingMore.set(false)
  }
}

/** Reloads the list, the queue and the balance. Does not throw; returns whether the list and the queue were loaded. */
export async function refreshList(): Promise<boolean> {
  const results = await Promise.allSettled([loadTasks(), loadQueue(), loadBalance()])
  return results.every((result) => result.status === 'fulfilled')
}

/** Returns the failure reason, translated if the error code is known. */
export function failureText({ error_code, error_message, duration, resolution }: Task): string {
  const t = translate()
  if (error_code && textAt(`failures.${error_code}`))
    return t(`failures.${error_code}`, { seconds: duration, resolution })
  return error_message ?? t('failures.internal')
}

/** Returns whether its owner has cancelled the task. It ends as `Fail`, but nothing failed. */
export const isCancelled = ({ error_code }: Task): boolean => error_code === 'cancelled'

/** Returns the state of a task. */
export const statusText = ({ status }: Pick<Task, 'status'>): string =>
  translate()(`workspace.status.${readStatus(status) ?? 'unknown'}`)

/** Returns how a task ended. */
export const endText = (task: Task): string =>
  isCancelled(task) ? translate()('workspace.status.Cancelled') : statusText(task)

/** Replaces a task in the list, or inserts it at the top. */
export function putTask(task: Task): void {
  if (removed.has(task.id)) return
  for (const updated of updatedWhileLoading) updated.add(task.id)
  const { tasks, total } = $tasks.get()
  const known = tasks.some((other) => other.id === task.id)
  // Ignore updates to tasks older than the oldest one loaded.
  const last = tasks.at(-1)
  if (!known && last && tasks.length < total && isOlder(task, last)) return
  $tasks.set({
    status: 'ready',
    tasks: known ? tasks.map((other) => (other.id === task.id ? task : other)) : [task, ...tasks],
    total: total + (known ? 0 : 1),
  })
}

/** Removes a deleted task from the list and ignores later updates to it. */
export function dropTask(id: string): void {
  if (removed.has(id)) return
  removed.add(id)
  const list = $tasks.get()
  const tasks = list.tasks.filter((other) => other.id !== id)
  $tasks.set({ ...list, tasks, total: list.total - (list.tasks.length - tasks.length) })
  void loadQueue().catch(() => {})
}

/** Applies a task update and shows a toast if the status changed. */
export function applyUpdate(task: Task): void {
  if (removed.has(task.id)) return
  const before = $tasks.get().tasks.find((other) => other.id === task.id)
  // The answer to a poll can be older than the last message of the socket. An ended task can only become a late success.
  if (before && isFinal(before) && readStatus(task.status) !== 'Success') return
  putTask(task)
  const isNews = !before || readStatus(before.status) !== readStatus(task.status)
  if (isNews) announce(task)
  // Progress corrects the estimate.
  if (isNews || tenthsOf(before) !== tenthsOf(task)) void loadQueue().catch(() => {})
}

const tenthsOf = ({ progress }: Task) => Math.floor((progress ?? 0) / 10)

/** Opens the player of a video, or shows it on the stage. */
function playTask(id: string): void {
  const picture = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"] button.task-picture`)
  if (picture) picture.click()
  else showTake(id)
}

function announce(task: Task): void {
  const t = translate()
  const status = readStatus(task.status)
  if (status === undefined || status === 'Preparing') return
  const batch = batchOf(task.id)
  const [key] = batch
  const link = { href: localHref(task.url), label: t('workspace.task.filmPage') }
  if (status === 'Success') {
    const done = $tasks.get().tasks.filter((one) => batch.includes(one.id) && readStatus(one.status) === status).length
    const count = batch.length
    const text = count > 1 ? t('workspace.news.batch', { done, count }) : t('workspace.news.Success')
    const action = { label: t('workspace.task.play'), run: () => playTask(task.id) }
    showToast('success', text, { key, picture: task.thumbnail_url ?? undefined, action, link })
  } else if (status !== 'Fail') showToast('info', t(`workspace.news.${status}`), { key })
  else if (isCancelled(task)) showToast('success', t('workspace.task.cancelled'), { key })
  else showToast('danger', t('workspace.news.Fail', { reason: failureText(task) }), { ms: 8000, key, link })
}

/** Reads one task again, or drops it if it was deleted. @throws ApiError */
export async function rereadTask(id: string): Promise<void> {
  try {
    applyUpdate(await call(getTask, { params: { id } }))
  } catch (error) {
    // It was deleted, or belongs to the team that paid since the user has left it.
    if (!hasStatus(error, 403, 404)) throw error
    dropTask(id)
  }
}

const hasStatus = (error: unknown, ...statuses: number[]) =>
  error instanceof ApiError && statuses.includes(error.status)

/** Reloads one task at the user's request. */
export const refreshTask = (id: string): Promise<void> =>
  whileBusy(id, 'refresh', () =>
    rereadTask(id).catch(() => showToast('danger', translate()('workspace.task.refreshFailed'))),
  )

/** Cancels an open task, and deletes it if it was still waiting. */
export const cancelOpenTask = (task: Task): Promise<void> =>
  whileBusy(task.id, 'remove', async () => {
    const t = translate()
    const params = { id: task.id }
    try {
      // A deletion alone would delete a video that was finished since the user was asked.
      const { task: now } = await call(cancelTask, { params })
      // A render that is being stopped keeps its row: its video may still arrive.
      if (isWaiting(task) && isFinal(now)) await call(deleteTask, { params }).then(() => dropTask(task.id))
      else applyUpdate(now)
    } catch (error) {
      showToast('danger', errorText(error, t('workspace.task.deleteFailed')))
      return void refreshList()
    }
    showToast('success', t('workspace.task.cancelled'), { key: task.id })
    void refreshList()
  })

/** Deletes a finished task. */
export const removeTask = (task: Task): Promise<void> =>
  whileBusy(task.id, 'remove', async () => {
    const t = translate()
    try {
      await call(deleteTask, { params: { id: task.id } })
    } catch (error) {
      if (!hasStatus(error, 404)) {
        showToast('danger', errorText(error, t('workspace.task.deleteFailed')))
        return
      }
    }
    dropTask(task.id)
    showToast('success', t('workspace.task.deleted'))
    void refreshList()
  })
