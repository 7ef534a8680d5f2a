import { getTask, type Task } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { editClips, loadJoins } from './join/joins.ts'
import { $library } from './library.ts'

/** Opens the film (`?film=`) or the clips of a joined film (`?join=`) that the address names, once, and shows open joins. */
export async function openNamed(open: (film: Task) => void): Promise<void> {
  if ($library.get() !== 'open') return
  void loadJoins()
  const search = new URLSearchParams(location.search)
  const [film, join] = [search.get('film'), search.get('join')]
  const id = film ?? join
  if (!id) return
  for (const name of ['film', 'join']) search.delete(name)
  history.replaceState(history.state, '', location.pathname + (search.size > 0 ? `?${search}` : '') + location.hash)
  if (join === 'new') return editClips([])
  try {
    const task = await call(getTask, { params: { id } })
    if (film) open(task)
    else await editClips([task])
  } catch (error) {
    showToast('danger', errorText(error))
  }
}
