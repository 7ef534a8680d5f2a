import * as z from 'zod/mini'
import { TASK_TYPES } from '#backend/tasks/contract.ts'
import { check } from '../../api/check.ts'
import { readDraft, writeDraft } from '../../api/draft.ts'
import { $session } from '../../api/session.ts'
import { $firstFrame, restoreFirstFrame } from './firstFrame.ts'
import { $generation } from './generation.ts'
import { isOffered } from './generationRules.ts'

const Draft = z.object({
  taskType: z.enum(TASK_TYPES),
  model: z.string(),
  resolution: z.string(),
  duration: z.number(),
  prompt: z.string(),
  promptOptimizer: z.boolean(),
  /** URL of the uploaded first frame, or null if there is none. */
  image: z.nullable(z.string()),
})

const WRITE_AFTER_MS = 300

/** Restores the user's draft into the form and saves later changes. */
export function keepDraft(userId: string): void {
  const read = check(Draft, readDraft(userId))
  // An old draft may contain settings that are no longer supported.
  if (read.ok && isOffered(read.value)) {
    const { image, ...form } = read.value
    $generation.set(form)
    if (image) void restoreFirstFrame(image)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const write = () => {
    clearTimeout(timer)
    // Signing out deletes drafts, so do not save one afterwards.
    if ($session.get().status !== 'in') return
    const frame = $firstFrame.get()
    writeDraft(userId, { ...$generation.get(), image: frame.status === 'ready' ? frame.url : null })
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(write, WRITE_AFTER_MS)
  }
  $generation.listen(later)
  $firstFrame.listen(later)
  addEventListener('pagehide', write)
}
