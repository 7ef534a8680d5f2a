/** The user's tasks, newest first, as far back as they were asked for. */
import { atom, computed } from 'nanostores'
import { listTasks, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { isInProgress, readStatus } from '../../api/taskProgress.ts'
import { textAt, translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts.ts'
import { loadQueue } from './queue.ts'

export interface TaskList {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly tasks: readonly Task[]
  readonly total: number
}

export const PER_PAGE = 20
export const $tasks = atom<TaskList>({ status: 'loading', tasks: [], total: 0 })
export const $inProgress = computed($tasks, ({ tasks }) => tasks.filter(isInProgress).length)

/** News of a deleted task may still be on its way; it must not bring the task back. */
const removed = new Set<string>()
/** Tasks that were heard of while a page was on its way: what is known of them is newer than the page. */
let heardMeanwhile: Set<string> | undefined

const readPage = (page: number) => call(listTasks, { query: { page, per_page: PER_PAGE } })
const isThere = ({ id }: Task) => !removed.has(id)

/** Reads the newest tasks and keeps the older ones that were loaded. @throws ApiError */
export async function loadTasks(): Promise<void> {
  const heard = new Set<string>()
  heardMeanwhile = heard
  const { tasks: read, total } = await readPage(1)
  const list = $tasks.get()
  const known = new Map(list.tasks.map((task) => [task.id, task]))
  const fresh = read.filter(isThere).map((task) => (heard.has(task.id) ? (known.get(task.id) ?? task) : task))
  const inFresh = new Set(fresh.map(({ id }) => id))
  const born = list.tasks.filter(({ id }) => heard.has(id) && !inFresh.has(id))
  const last = read.at(-1)
  const older = last && read.length === PER_PAGE ? list.tasks.filter((task) => isOlder(task, last)) : []
  $tasks.set({ status: 'ready', tasks: [...born.filter((task) => !older.includes(task)), ...fresh, ...older], total })
}

/** Ids grow with time, so that they order what was made in the same millisecond. */
const isOlder = (a: Task, b: Task) => a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id)

export const $loadingMore = atom(false)

/** Reads the page behind what is shown. @throws ApiError */
export async function loadOlderTasks(): Promise<void> {
  if ($loadingMore.get()) return
  $loadingMore.set(true)
  try {
    // Rounded down, so that tasks which moved up a page are not passed over.
    const { tasks: read, total } = await readPage(Math.floor($tasks.get().tasks.length / PER_PAGE) + 1)
    const { tasks } = $tasks.get()
    const shown = new Set(tasks.map(({ id }) => id))
    $tasks.set({
      status: 'ready',
      tasks: [...tasks, ...read.filter((task) => isThere(task) && !shown.has(task.id))],
      total,
    })
  } finally {
    $loadingMore.set(false)
  }
}

/** Reads list and queue again, quietly; answers whether both came. */
export async function refreshList(): Promise<boolean> {
  const results = await Promise.allSettled([loadTasks(), loadQueue()])
  return results.every((result) => result.status === 'fulfilled')
}

/** Why a task failed, in the reader's words. */
export const failureText = (task: Task): string =>
  (task.error_code ? textAt(`failures.${task.error_code}`) : undefined) ??
  task.error_message ??
  translate()('failures.internal')

/** Puts a task into the list: in its place, or on top. */
export function putTask(task: Task): void {
  if (removed.has(task.id)) return
  heardMeanwhile?.add(task.id)
  const { tasks, total } = $tasks.get()
  const known = tasks.some((other) => other.id === task.id)
  // News of a task further back than the list reaches.
  const last = tasks.at(-1)
  if (!known && last && tasks.length < total && isOlder(task, last)) return
  $tasks.set({
    status: 'ready',
    tasks: known ? tasks.map((other) => (other.id === task.id ? task : other)) : [task, ...tasks],
    total: total + (known ? 0 : 1),
  })
}

/** Takes a task out of the list, for good. */
export function dropTask(id: string): void {
  removed.add(id)
  const list = $tasks.get()
  const tasks = list.tasks.filter((other) => other.id !== id)
  $tasks.set({ ...list, tasks, total: list.total - (list.tasks.length - tasks.length) })
}

/** Takes news of a task over and says so when its status is a new one. */
export function takeNews(task: Task): void {
  if (removed.has(task.id)) return
  const before = $tasks.get().tasks.find((other) => other.id === task.id)
  putTask(task)
  if (before && readStatus(before.status) === readStatus(task.status)) return
  announce(task)
  void loadQueue().catch(() => {})
}

function announce(task: Task): void {
  const t = translate()
  const status = readStatus(task.status)
  if (status === undefined || status === 'Preparing') return
  if (status === 'Success') showToast('success', t('workspace.news.Success'))
  else if (status !== 'Fail') showToast('info', t(`workspace.news.${status}`))
  else if (task.error_code !== 'cancelled')
    showToast('danger', t('workspace.news.Fail', { reason: failureText(task) }), { ms: 8000 })
}
