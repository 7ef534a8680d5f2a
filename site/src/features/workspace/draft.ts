import * as z from 'zod/mini'
import { TASK_TYPES } from '#backend/tasks/contract.ts'
import { check } from '../../api/check.ts'
import { adoptVisitorDraft, onDraftsForgotten, readDraft, writeDraft } from '../../api/draft.ts'
import { $session } from '../../api/session.ts'
import { inPageLanguage } from '../../i18n/movements.ts'
import { frameUrls, onFrames, restoreFrames } from './frames/frames.ts'
import { $generation } from './generation.ts'
import { NO_OPTIONS } from './options/optionRules.ts'

const Draft = z.object({
  taskType: z.enum(TASK_TYPES),
  model: z.string(),
  resolution: z.string(),
  duration: z.number(),
  prompt: z.string(),
  promptOptimizer: z.boolean(),
  /** URL of the uploaded first frame, or null if there is none. */
  image: z.nullable(z.string()),
  // Drafts of earlier releases lack the rest.
  lastImage: z._default(z.nullable(z.string()), null),
  references: z._default(z.array(z.string()), []),
  aspectRatio: z._default(z.nullable(z.string()), NO_OPTIONS.aspectRatio),
  sound: z._default(z.boolean(), NO_OPTIONS.sound),
  seed: z._default(z.string(), NO_OPTIONS.seed),
  negativePrompt: z._default(z.string(), NO_OPTIONS.negativePrompt),
})

const WRITE_AFTER_MS = 300

/** Restores the user's draft into the form and saves later changes. */
export function keepDraft(userId: string): void {
  adoptVisitorDraft(userId)
  const read = check(Draft, readDraft(userId))
  // The catalogue, once loaded, replaces settings that are no longer offered.
  if (read.ok) {
    const { image: first, lastImage: last, references, ...form } = read.value
    $generation.set({ ...form, prompt: inPageLanguage(form.prompt) })
    restoreFrames({ first, last, references })
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let isForgotten = false
  onDraftsForgotten(() => {
    isForgotten = true
  })
  const write = () => {
    clearTimeout(timer)
    // Signing out deletes drafts, so do not save one afterwards.
    if (isForgotten || $session.get().status !== 'in') return
    const { first: image, last: lastImage, references } = frameUrls()
    writeDraft(userId, { ...$generation.get(), image, lastImage, references })
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(write, WRITE_AFTER_MS)
  }
  $generation.listen(later)
  onFrames(later)
  addEventListener('pagehide', write)
}
