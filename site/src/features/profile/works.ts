import { atom } from 'nanostores'
import { deleteTask, listTasks, type Task, type WorkStats, workStats } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { whileBusy } from '../../api/taskActions.ts'
import { translate } from '../../i18n/client.ts'
import { pagedList } from '../../ui/lists/pagedList.ts'
import { showToast } from '../../ui/toasts/toasts.ts'

export const WORKS_PER_PAGE = 8
/** Statistics of a new Free account, shown if the user's own cannot be loaded. */
const SAMPLE_FIGURES: WorkStats = {
  total_videos: 0,
  total_duration: 0,
  storage_used: 0,
  credits_remaining: 60,
  credits_used: 0,
  usage_this_month: 0,
}

export const works = pagedList<Task>(WORKS_PER_PAGE, async (page) => {
  const query = { page, per_page: WORKS_PER_PAGE, status_filter: 'Success' as const }
  const { tasks, total } = await call(listTasks, { query })
  return { items: tasks, total }
})

/** User statistics, or null while loading. `sample` is true if loading failed. */
export const $figures = atom<{ readonly figures: WorkStats; readonly sample: boolean } | null>(null)

export async function loadFigures(): Promise<void> {
  try {
    $figures.set({ figures: await call(workStats), sample: false })
  } catch {
    $figures.set({ figures: SAMPLE_FIGURES, sample: true })
  }
}

const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : 0)

/** Returns the message to show when the videos fail to load. */
export function worksFailure(error: unknown): string {
  const t = translate()
  switch (statusOf(error)) {
    case 401:
      return t('works.failure.expired')
    case 403:
      return t('works.failure.forbidden')
    case 500:
      return t('works.failure.server')
    default:
      return t('works.failed')
  }
}

function deleteFailure(error: unknown): string {
  const t = translate()
  switch (statusOf(error)) {
    case 404:
      return t('works.delete.gone')
    case 403:
      return t('works.delete.forbidden')
    default:
      return errorText(error, t('works.delete.failed'))
  }
}

/** Deletes a video, then reloads the current page of videos and the statistics. */
export const deleteWork = (task: Task): Promise<void> =>
  whileBusy(task.id, 'remove', async () => {
    try {
      await call(deleteTask, { params: { id: task.id } })
      showToast('success', translate()('works.delete.done'))
    } catch (error) {
      showToast('danger', deleteFailure(error))
      if (statusOf(error) !== 404) return
    }
    await Promise.all([works.again(), loadFigures()])
  })
