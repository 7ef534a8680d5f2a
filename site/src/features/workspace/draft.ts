import { TASK_TYPES, type TaskType } from '#backend/tasks/contract.ts'
import { adoptVisitorDraft, onDraftsForgotten, readDraft, writeDraft } from '../../api/draft.ts'
import { $session } from '../../api/session.ts'
import { inPageLanguage } from '../../i18n/movements.ts'
import { frameUrls, onFrames, restoreFrames } from './frames/frames.ts'
import { $generation, type GenerationForm } from './generation.ts'
import { NO_OPTIONS } from './options/optionRules.ts'

type Kept = GenerationForm & {
  /** URLs of the uploaded frames, or null. */
  readonly image: string | null
  readonly lastImage: string | null
  readonly references: readonly string[]
}

const isText = (value: unknown) => typeof value === 'string'
const isTextOrNull = (value: unknown) => value === null || isText(value)
const isSwitch = (value: unknown) => typeof value === 'boolean'
/** What each field of a draft must be. The validation library would have to load before the form. */
const FIELDS: Readonly<Record<keyof Kept, (value: unknown) => boolean>> = {
  taskType: (value) => TASK_TYPES.includes(value as TaskType),
  model: isText,
  resolution: isText,
  duration: (value) => typeof value === 'number',
  prompt: isText,
  promptOptimizer: isSwitch,
  image: isTextOrNull,
  lastImage: isTextOrNull,
  references: (value) => Array.isArray(value) && value.every(isText),
  aspectRatio: isTextOrNull,
  sound: isSwitch,
  seed: isText,
  negativePrompt: isText,
}

/** Returns a stored draft, or undefined if there is none that can be read. Drafts of earlier releases lack some fields. */
function keptDraft(userId: string): Kept | undefined {
  const draft = { lastImage: null, references: [], ...NO_OPTIONS, ...(readDraft(userId) as Partial<Kept> | null) }
  const fields = Object.keys(FIELDS) as (keyof Kept)[]
  if (!fields.every((name) => FIELDS[name](draft[name]))) return undefined
  return Object.fromEntries(fields.map((name) => [name, draft[name]])) as unknown as Kept
}

const WRITE_AFTER_MS = 300

/** Restores the user's draft into the form and saves later changes. */
export function keepDraft(userId: string): void {
  adoptVisitorDraft(userId)
  const kept = keptDraft(userId)
  // The catalogue, once loaded, replaces settings that are no longer offered.
  if (kept) {
    const { image: first, lastImage: last, references, ...form } = kept
    $generation.set({ ...form, prompt: inPageLanguage(form.prompt) })
    restoreFrames({ first, last, references })
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let isForgotten = false
  onDraftsForgotten(() => {
    isForgotten = true
  })
  const write = () => {
    // Another tab may have stored a newer form since the last change here.
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
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
