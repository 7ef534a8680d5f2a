import { atom, computed } from 'nanostores'
import { listMarks, markVideos, type VideoMark } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { showToast } from '../../ui/toasts.ts'

type Marks = ReadonlyMap<string, VideoMark>

/** Favourites, and videos in folders, by id. */
export const $marks = atom<Marks>(new Map())

/** Names of the folders with the number of their videos, in the order of the alphabet. */
export const $folders = computed($marks, (marks) => {
  const counts = new Map<string, number>()
  for (const { folder } of marks.values()) if (folder !== null) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a.localeCompare(b))
})

export async function loadMarks(): Promise<void> {
  const { marks } = await call(listMarks)
  $marks.set(new Map(marks.map((mark) => [mark.id, mark])))
}

/** Marks videos, and takes the marks back if the server refuses them. Returns whether it accepted them. */
export async function setMarks(ids: readonly string[], change: Partial<Omit<VideoMark, 'id'>>): Promise<boolean> {
  const before = $marks.get()
  const changed = ids.map((id) => ({ id, favourite: false, folder: null, ...before.get(id), ...change }))
  $marks.set(new Map([...before, ...changed.map((mark) => [mark.id, mark] as const)]))
  try {
    await call(markVideos, { body: { ids: [...ids], ...change } })
    return true
  } catch (error) {
    $marks.set(before)
    showToast('danger', errorText(error))
    return false
  }
}
