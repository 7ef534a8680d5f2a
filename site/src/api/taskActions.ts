import { atom } from 'nanostores'
import { API_BASE } from '#backend/kernel/http/contract.ts'
import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../i18n/client.ts'
import { showToast } from '../ui/toasts/toasts.ts'
import { authorized } from './api.ts'

export type TaskAction = 'refresh' | 'remove' | 'download' | 'again' | 'elsewhere' | 'regenerate' | 'continue'

/** The running action of each busy task, by task ID. */
export const $busyTasks = atom<ReadonlyMap<string, TaskAction>>(new Map())

/** Runs an action unless another action on the same task is running. */
export async function whileBusy(id: string, action: TaskAction, work: () => Promise<void>): Promise<void> {
  if ($busyTasks.get().has(id)) return
  $busyTasks.set(new Map([...$busyTasks.get(), [id, action]]))
  try {
    await work()
  } finally {
    $busyTasks.set(new Map([...$busyTasks.get()].filter(([other]) => other !== id)))
  }
}

export const downloadAddress = (task: Pick<Task, 'id'>): string => `${API_BASE}/videos/download/${task.id}`

/**
 * Downloads a video. Sends a HEAD request first: a plain link could not report a failure, and rendering the watermark
 * of a Free account takes a moment. Without `label`, a visible label is left out, which the user must have requested.
 */
export const downloadVideo = (task: Task, { label = true } = {}): Promise<void> =>
  whileBusy(task.id, 'download', async () => {
    const t = translate()
    if (!task.video_url) return showToast('danger', t('workspace.task.noVideo'))
    const address = downloadAddress(task) + (label ? '' : '?label=false')
    const response = await authorized(() => fetch(address, { method: 'HEAD', credentials: 'same-origin' })).catch(
      () => undefined,
    )
    if (!response) return showToast('danger', t('workspace.task.downloadTryAgain'))
    if (response.status === 404) return showToast('danger', t('workspace.task.noVideo'))
    if (!response.ok) return showToast('danger', t('workspace.task.downloadFailed'))
    startDownload(address)
  })

/** Saves a file of the server under the name that it gives. */
export function startDownload(href: string): void {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  document.body.append(link)
  link.click()
  link.remove()
}
