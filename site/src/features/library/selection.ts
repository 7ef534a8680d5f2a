import { atom } from 'nanostores'
import { archive, deleteTasks, SELECTION_MAX } from '#backend/tasks/contract.ts'
import { addressOf, authorized, call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { startDownload } from '../../api/taskActions.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { $films, removeFilms } from './library.ts'
import { dropMarks } from './marks.ts'

/** Ids of the selected videos; null while none can be selected. */
export const $selection = atom<ReadonlySet<string> | null>(null)

// Keeps only videos that are shown: an action, such as the deletion, must not include any that a filter hides.
$films.listen(({ tasks }) => {
  const chosen = $selection.get()
  if (!chosen) return
  const shown = new Set(tasks.map(({ id }) => id))
  const left = [...chosen].filter((id) => shown.has(id))
  if (left.length < chosen.size) $selection.set(new Set(left))
})

/** Ids of the videos whose download was begun on this page. The server reads each file when its turn comes. */
export const $downloaded = atom<ReadonlySet<string>>(new Set())

export const startSelecting = (): void => $selection.set(new Set())
export const stopSelecting = (): void => $selection.set(null)

/** Selects a video, or ends its selection. Refuses more than one call can take. */
export function toggle(id: string): void {
  const chosen = new Set($selection.get())
  if (!chosen.delete(id)) chosen.add(id)
  if (chosen.size <= SELECTION_MAX) $selection.set(chosen)
  else showToast('info', translate()('library.select.full', { max: SELECTION_MAX }))
}

/** Selects the first videos, as many as one call can take. */
export const selectAll = (): void =>
  $selection.set(
    new Set(
      $films
        .get()
        .tasks.slice(0, SELECTION_MAX)
        .map(({ id }) => id),
    ),
  )

/** Downloads the selected videos as one file. A HEAD request reports failures, which a link cannot. */
export async function downloadSelected(): Promise<void> {
  const t = translate()
  const ids = [...($selection.get() ?? [])]
  const address = addressOf(archive.path, {}, { ids: ids.join() })
  const response = await authorized(() => fetch(address, { method: 'HEAD', credentials: 'same-origin' })).catch(
    () => undefined,
  )
  if (!response?.ok) return showToast('danger', t('workspace.task.downloadTryAgain'))
  startDownload(address)
  $downloaded.set(new Set([...$downloaded.get(), ...ids]))
  showToast('info', t('library.select.downloading'))
}

/** Deletes videos, removes them from the page and returns their ids. Reports those that remain. */
export async function deleteFilms(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const t = translate()
  let gone: ReadonlySet<string> = new Set()
  try {
    await removeFilms(async () => {
      const { deleted, failed } = await call(deleteTasks, { body: { ids: [...ids] } })
      gone = new Set([...deleted, ...failed.filter(({ code }) => code === 'not_found').map(({ id }) => id)])
      dropMarks(gone)
      if ($selection.get()) $selection.set(new Set([...($selection.get() ?? [])].filter((id) => !gone.has(id))))
      if (gone.size > 0) showToast('success', t('library.deleted', { count: gone.size }))
      if (gone.size < ids.length) showToast('danger', t('library.notDeleted', { count: ids.length - gone.size }))
      return gone
    })
  } catch (error) {
    showToast('danger', errorText(error))
  }
  return gone
}
