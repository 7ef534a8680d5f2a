/** The images of the form: the first and the last frame, and references. */
import { atom } from 'nanostores'
import { createFrameSlot, type FrameSlot } from './frameSlot.ts'

export const firstFrame = createFrameSlot()
export const lastFrame = createFrameSlot()

/** One slot per chosen reference. A slot without an image shows why its image was rejected. */
export const $references = atom<readonly FrameSlot[]>([])

/** Whether an image is being uploaded. */
export const $uploading = atom({ frames: false, references: false })

const listeners = new Set<() => void>()
const isUploading = ({ $frame }: FrameSlot) => $frame.get().status === 'uploading'

function notify(): void {
  const frames = [firstFrame, lastFrame].some(isUploading)
  const references = $references.get().some(isUploading)
  const before = $uploading.get()
  if (before.frames !== frames || before.references !== references) $uploading.set({ frames, references })
  for (const listener of listeners) listener()
}
for (const $changing of [firstFrame.$frame, lastFrame.$frame, $references]) $changing.listen(notify)

/** Calls `listener` after every change of an image. */
export const onFrames = (listener: () => void): void => void listeners.add(listener)

/** Adds an empty slot after those that have an image. */
function addSlot(): FrameSlot {
  const slot = createFrameSlot()
  slot.$frame.listen(notify)
  $references.set([...$references.get(), slot])
  return slot
}

export const addReference = (file: File): void => void addSlot().choose(file)

/** Adds an image that is uploaded already. */
export function addKeptReference(url: string): void {
  const slot = addSlot()
  void slot.restore(url).then(() => {
    if (slot.$frame.get().status === 'none') removeReference(slot)
  })
}

export function removeReference(slot: FrameSlot): void {
  slot.remove()
  $references.set($references.get().filter((other) => other !== slot))
}

/** Address of a slot's uploaded image, which may not be shown yet, or null. */
const urlOf = ({ $frame }: FrameSlot): string | null => {
  const frame = $frame.get()
  if (frame.status === 'none') return frame.restoring ?? null
  return frame.status === 'ready' ? frame.url : null
}

export interface FrameUrls {
  readonly first: string | null
  readonly last: string | null
  readonly references: readonly string[]
}

export const frameUrls = (): FrameUrls => ({
  first: urlOf(firstFrame),
  last: urlOf(lastFrame),
  references: $references.get().flatMap((slot) => urlOf(slot) ?? []),
})

/** Restores uploaded images and removes all others. */
export function restoreFrames({ first, last, references }: FrameUrls): void {
  for (const slot of $references.get()) removeReference(slot)
  for (const [slot, url] of [
    [firstFrame, first],
    [lastFrame, last],
  ] as const) {
    if (url) void slot.restore(url)
    else slot.remove()
  }
  for (const url of references) addKeptReference(url)
}
