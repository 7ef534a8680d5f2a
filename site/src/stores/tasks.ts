/** The user's tasks and the queue. */
import { atom, computed } from 'nanostores'
import type * as z from 'zod/mini'
import { deleteTask, getQueue, getTask, listTasks, type Queue, type Task } from '#backend/tasks/contract.ts'
import { textAt, translate } from '../i18n/client.ts'
import { call } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { errorText } from '../lib/errorText.ts'
import { loadCredits } from './credits.ts'
import { isFinal, isInProgress, isWaiting, readStatus } from './taskProgress.ts'
import { showToast } from './toasts.ts'

export interface TaskList {
  readonly status: 'loading' | 'ready' | 'failed'
  readonly tasks: readonly Task[]
  readonly total: number
}

export const PER_PAGE = 20
export const $tasks = atom<TaskList>({ status: 'loading', tasks: [], total: 0 })
export const $queue = atom<z.infer<typeof Queue> | null>(null)
export const $inProgress = computed($tasks, ({ tasks }) => tasks.filter(isInProgress).length)
/** Tasks that a call is under way for. */
export const $busyTasks = atom<ReadonlySet<string>>(new Set())

/** Reads the newest tasks; throws when the server does not answer. */
export async function loadTasks(): Promise<void> {
  const { tasks, total } = await call(listTasks, { query: { page: 1, per_page: PER_PAGE } })
  $tasks.set({ status: 'ready', tasks, total })
}

export const loadQueue = async (): Promise<void> => $queue.set(await call(getQueue))

/** Reads list and queue again, quietly. */
export async function refreshList(): Promise<boolean> {
  const results = await Promise.allSettled([loadTasks(), loadQueue()])
  return results.every((result) => result.status === 'fulfilled')
}

/** Why a task failed, in the reader's words. */
export const failureText = (task: Task): string =>
  (task.error_code ? textAt(`failures.${task.error_code}`) : undefined) ??
  task.error_message ??
  translate()('failures.internal')

/** News of a deleted task may still be on its way; it must not bring the task back. */
const removed = new Set<string>()

/** Puts a task into the list: in its place, or on top. */
export function putTask(task: Task): void {
  if (removed.has(task.id)) return
  const list = $tasks.get()
  const known = list.tasks.some((other) => other.id === task.id)
  const tasks = known
    ? list.tasks.map((other) => (other.id === task.id ? task : other))
    : [task, ...list.tasks].slice(0, PER_PAGE)
  $tasks.set({ status: 'ready', tasks, total: list.total + (known ? 0 : 1) })
}

/** Takes news of a task over and says so when its status is a new one. */
export function takeNews(task: Task): void {
  if (removed.has(task.id)) return
  const before = $tasks.get().tasks.find((other) => other.id === task.id)
  putTask(task)
  if (before && readStatus(before.status) === readStatus(task.status)) return
  announce(task)
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

async function whileBusy<R>(id: string, work: () => Promise<R>): Promise<R> {
  $busyTasks.set(new Set([...$busyTasks.get(), id]))
  try {
    return await work()
  } finally {
    $busyTasks.set(new Set([...$busyTasks.get()].filter((other) => other !== id)))
  }
}

/** Reads one task again because the user asked. */
export const refreshTask = (id: string): Promise<void> =>
  whileBusy(id, async () => {
    try {
      takeNews(await call(getTask, { params: { id } }))
    } catch {
      showToast('danger', translate()('workspace.task.refreshFailed'))
    }
  })

/** Deletes a finished task, or cancels a waiting one. */
export const removeTask = (task: Task): Promise<void> =>
  whileBusy(task.id, async () => {
    const t = translate()
    try {
      await call(deleteTask, { params: { id: task.id } })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        return showToast('danger', errorText(error, t('workspace.task.deleteFailed')))
      }
    }
    removed.add(task.id)
    const list = $tasks.get()
    const tasks = list.tasks.filter((other) => other.id !== task.id)
    $tasks.set({ ...list, tasks, total: Math.max(0, list.total - 1) })
    showToast('success', t(isWaiting(task) ? 'workspace.task.cancelled' : 'workspace.task.deleted'))
    void refreshList()
    if (!isFinal(task)) void loadCredits().catch(() => {})
  })
