import { atom } from 'nanostores'
import {
  cancelTask,
  FADE_MAX_SECONDS,
  getTask,
  type JoinBody,
  joinedSeconds,
  joinVideos,
  listTasks,
  type Task,
} from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'
import { newOrderKey } from '../../../api/orderKey.ts'
import { isJoined } from '../../../api/task/taskCost.ts'
import { localHref, translate } from '../../../i18n/client.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'
import { refreshFilms } from '../library.ts'

/** A clip of the film that is being put together. Seconds. */
export interface Clip {
  readonly key: number
  readonly film: Task
  readonly start: number
  readonly end: number
}

/** The clips of the editor; null while it is closed. */
export const $clips = atom<readonly Clip[] | null>(null)
/** The joined film that the editor changes; null for a new one. */
export const $edited = atom<Task | null>(null)
/** Joined films that are not finished, or that failed. */
export const $joins = atom<readonly Task[]>([])

const POLL_MS = 1_000
let last = 0

export const lengthOf = (film: Task): number => film.video_duration ?? film.duration

export function clipOf(film: Task, start = 0, end = lengthOf(film)): Clip {
  last += 1
  return { key: last, film, start, end }
}

/** Opens the editor with films, or with the clips of a joined film. */
export async function editClips(films: readonly Task[]): Promise<void> {
  const [film] = films
  $edited.set(null)
  if (films.length > 1 || !film || !isJoined(film)) return $clips.set(films.map((each) => clipOf(each)))
  const sources = new Map<string, Task>()
  for (const id of new Set(film.made_from.map((part) => part.id))) {
    const source = await call(getTask, { params: { id } }).catch(() => undefined)
    if (source?.video_url) sources.set(id, source)
  }
  const clips = film.made_from.flatMap(({ id, start, end }) => {
    const source = sources.get(id)
    return source ? [clipOf(source, start, end)] : []
  })
  if (clips.length < film.made_from.length) showToast('info', translate()('library.join.clipsGone'))
  $edited.set(film)
  $clips.set(clips)
}

/** Cross-fades that the editor offers, seconds. */
export const FADES: readonly number[] = [0, 0.25, 0.5, 1, FADE_MAX_SECONDS]

/** Returns the cross-fade of a joined film, which is as much shorter than its clips; 0 if its length is not known. */
export function fadeOf({ made_from, video_duration }: Task): number {
  if (video_duration === null) return 0
  const lengths = made_from.map(({ start = 0, end = 0 }) => end - start)
  const missed = (fade: number) => Math.abs(joinedSeconds(lengths, fade) - video_duration)
  return FADES.toSorted((a, b) => missed(a) - missed(b))[0] ?? 0
}

/** Idempotency keys of joins that were not accepted, by their body: a retry must not start a second film. */
const unanswered = new Map<string, string>()

/** Starts to join clips. Returns whether the server accepted it. */
export async function startJoin(body: JoinBody): Promise<boolean> {
  const text = JSON.stringify(body)
  const key = unanswered.get(text) ?? newOrderKey()
  unanswered.set(text, key)
  try {
    const { task } = await call(joinVideos, { body, headers: { 'Idempotency-Key': key } })
    unanswered.delete(text)
    $clips.set(null)
    put(task)
    void follow(task.id)
    return true
  } catch (error) {
    showToast('danger', errorText(error))
    return false
  }
}

const put = (task: Task) => $joins.set([...$joins.get().filter(({ id }) => id !== task.id), task])
export const dismissJoin = (id: string): void => $joins.set($joins.get().filter((task) => task.id !== id))

export async function cancelJoin(id: string): Promise<void> {
  try {
    put((await call(cancelTask, { params: { id } })).task)
  } catch (error) {
    showToast('danger', errorText(error))
  }
}

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404
const followed = new Set<string>()

/** Reads a task until it has ended, and shows the film. */
async function follow(id: string): Promise<void> {
  if (followed.has(id)) return
  followed.add(id)
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    // While the server is unreachable, the task goes on. It can be deleted on another page.
    const task = await call(getTask, { params: { id } }).catch((error: unknown) => (isGone(error) ? null : undefined))
    if (task === null) return dismissJoin(id)
    if (!task || !$joins.get().some((each) => each.id === id)) continue
    if (task.status === 'Success') {
      dismissJoin(id)
      const t = translate()
      const link = { href: localHref(task.url), label: t('workspace.task.filmPage') }
      showToast('success', t('library.join.ready', { title: task.prompt }), { link })
      return refreshFilms()
    }
    if (task.error_code === 'cancelled') return dismissJoin(id)
    put(task)
    if (task.status === 'Fail') return
  }
}

/** Shows the joins that an earlier page has started. */
export async function loadJoins(): Promise<void> {
  const { tasks } = await call(listTasks, { query: { page: 1, per_page: 20 } }).catch(() => ({ tasks: [] }))
  for (const task of tasks.filter((each) => isJoined(each) && !['Success', 'Fail'].includes(each.status))) {
    put(task)
    void follow(task.id)
  }
}
