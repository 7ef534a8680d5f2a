import { atom, computed } from 'nanostores'
import { listMarks, markVideos, type VideoMark } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { showToast } from '../../ui/toasts/toasts.ts'

type Marks = ReadonlyMap<string, VideoMark>

/** Favourites, and videos in folders, by id. */
export const $marks = atom<Marks>(new Map())

/** True if the marks could not be loaded. */
export const $marksFailed = atom(false)

/** Names of the folders with the number of their videos, in the order of the alphabet. */
export const $folders = computed($marks, (marks) => {
  const counts = new Map<string, number>()
  for (const { folder } of marks.values()) if (folder !== null) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a.localeCompare(b))
})

export type Change = Partial<Omit<VideoMark, 'id'>>
interface Sent {
  ids: readonly string[]
  readonly change: Change
  readonly answer: Promise<unknown>
  isAccepted: boolean
}

/** The marks that the server has, without those of `sent`. */
let stored: Marks = new Map()
/** Changes that the page shows already, in the order in which they were made. */
let sent: readonly Sent[] = []
let isLoading = false

const applied = (marks: Marks, { ids, change }: Sent): Marks =>
  new Map([
    ...marks,
    ...ids.map((id) => [id, { id, favourite: false, folder: null, ...marks.get(id), ...change }] as const),
  ])

function show(): void {
  // An answer that is still on its way can lack the accepted changes.
  while (!isLoading && sent[0]?.isAccepted) {
    stored = applied(stored, sent[0])
    sent = sent.slice(1)
  }
  $marks.set(sent.reduce(applied, stored))
}

export async function loadMarks(): Promise<void> {
  isLoading = true
  try {
    const { marks } = await call(listMarks)
    stored = new Map(marks.map((mark) => [mark.id, mark]))
    $marksFailed.set(false)
  } catch {
    $marksFailed.set(true)
  } finally {
    isLoading = false
    show()
  }
}

/** Sends a change after the earlier ones of the same marks, which could arrive later and undo it. */
async function sendInTurn(ids: readonly string[], change: Change): Promise<void> {
  const isSame = (other: Sent) =>
    other.ids.some((id) => ids.includes(id)) && Object.keys(change).some((name) => name in other.change)
  const earlier = sent.filter(isSame)
  if (earlier.length > 0) await Promise.allSettled(earlier.map(({ answer }) => answer))
  await call(markVideos, { body: { ids: [...ids], ...change } })
}

/** Marks videos, and takes the marks back if the server refuses them. Returns whether it accepted them. */
export async function setMarks(ids: readonly string[], change: Change): Promise<boolean> {
  const mine: Sent = { ids, change, answer: sendInTurn(ids, change), isAccepted: false }
  sent = [...sent, mine]
  show()
  try {
    await mine.answer
    mine.isAccepted = true
  } catch (error) {
    sent = sent.filter((other) => other !== mine)
    showToast('danger', errorText(error))
  }
  show()
  return mine.isAccepted
}

/** Removes the marks of deleted videos, as the server does. */
export function dropMarks(gone: ReadonlySet<string>): void {
  stored = new Map([...stored].filter(([id]) => !gone.has(id)))
  for (const change of sent) change.ids = change.ids.filter((id) => !gone.has(id))
  show()
}
