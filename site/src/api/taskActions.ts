/** What a reader does with one of the tasks. */
import { atom } from 'nanostores'
import { API_BASE } from '#backend/kernel/http/contract.ts'
import { deleteTask, getTask, type Task } from '#backend/tasks/contract.ts'
import { dropTask, refreshList, takeNews } from '../features/workspace/tasks.ts'
import { translate } from '../i18n/client.ts'
import { showToast } from '../ui/toasts.ts'
import { authorized, call } from './api.ts'
import { ApiError } from './apiError.ts'
import { loadCredits } from './credits.ts'
import { errorText } from './errorText.ts'
import { isFinal, isWaiting } from './taskProgress.ts'

export type TaskAction = 'refresh' | 'remove' | 'download' | 'again'

/** What is under way, by task. */
export const $busyTasks = atom<ReadonlyMap<string, TaskAction>>(new Map())

/** Does one thing at a time with a task. */
export async function whileBusy(id: string, action: TaskAction, work: () => Promise<void>): Promise<void> {
  if ($busyTasks.get().has(id)) return
  $busyTasks.set(new Map([...$busyTasks.get(), [id, action]]))
  try {
    await work()
  } finally {
    $busyTasks.set(new Map([...$busyTasks.get()].filter(([other]) => other !== id)))
  }
}

/** Reads one task again because the user asked. */
export const refreshTask = (id: string): Promise<void> =>
  whileBusy(id, 'refresh', async () => {
    try {
      takeNews(await call(getTask, { params: { id } }))
    } catch {
      showToast('danger', translate()('workspace.task.refreshFailed'))
    }
  })

/** Deletes a finished task, or cancels a waiting one. */
export const removeTask = (task: Task): Promise<void> =>
  whileBusy(task.id, 'remove', async () => {
    const t = translate()
    try {
      await call(deleteTask, { params: { id: task.id } })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) {
        showToast('danger', errorText(error, t('workspace.task.deleteFailed')))
        return
      }
    }
    dropTask(task.id)
    showToast('success', t(isWaiting(task) ? 'workspace.task.cancelled' : 'workspace.task.deleted'))
    void refreshList()
    if (!isFinal(task)) void loadCredits().catch(() => {})
  })

export const downloadAddress = (task: Pick<Task, 'id'>): string => `${API_BASE}/videos/download/${task.id}`

/**
 * Has a video saved as a file. It is asked for before the browser fetches it: a link alone could not say that it failed,
 * and the watermark of a Free account takes a moment.
 */
export const downloadVideo = (task: Task): Promise<void> =>
  whileBusy(task.id, 'download', async () => {
    const t = translate()
    if (!task.video_url) return showToast('danger', t('workspace.task.noVideo'))
    const address = downloadAddress(task)
    const answer = await authorized(() => fetch(address, { method: 'HEAD', credentials: 'same-origin' })).catch(
      () => undefined,
    )
    if (!answer) return showToast('danger', t('workspace.task.downloadTryAgain'))
    if (answer.status === 404) return showToast('danger', t('workspace.task.noVideo'))
    if (!answer.ok) return showToast('danger', t('workspace.task.downloadFailed'))
    const link = Object.assign(document.createElement('a'), { href: address, download: '' })
    document.body.append(link)
    link.click()
    link.remove()
  })
