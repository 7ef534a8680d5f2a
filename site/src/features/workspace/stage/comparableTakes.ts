import type { Task } from '#backend/tasks/contract.ts'
import { readStatus } from '../../../api/taskProgress.ts'

const MOST = 4

/** Returns up to four finished takes of the current one's prompt, with the current one; none if it is alone. */
export function comparableTakes(takes: readonly Task[], current: Task): readonly Task[] {
  const isFilm = ({ status, video_url }: Task) => readStatus(status) === 'Success' && video_url !== null
  if (!isFilm(current)) return []
  const isSame = ({ prompt, first_frame_image_url }: Task) =>
    prompt === current.prompt && first_frame_image_url === current.first_frame_image_url
  const others = takes.filter((take) => take.id !== current.id && isFilm(take) && isSame(take)).slice(0, MOST - 1)
  if (others.length === 0) return []
  return takes.filter((take) => take.id === current.id || others.includes(take))
}
