import { readStartDraft, removeStartDraft, type StoredDraft } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { once } from '../../api/once.ts'
import { newOrderKey } from '../../api/orderKey.ts'
import { readLocalStart, type StartDraft, writeLocalStart } from '../../api/start/startDraft.ts'
import { movementNames, movementSeparator, writePrompt } from '../../i18n/movements.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { watchCurrent } from './generate/watched.ts'
import { $generation, setMode, setPrompt } from './generation.ts'
import { send } from './submission.ts'
import { $stage } from './workspace.ts'

type Draft = StartDraft & Partial<StoredDraft>

/** Returns the draft of the link that signed the user in or, after another sign-in, that of this browser. */
async function readDraft(): Promise<Draft | null> {
  const { draft } = await call(readStartDraft)
  return draft ?? (readLocalStart() as Draft | null)
}

function fillForm({ prompt = '', camera_movements = [], first_frame_image_url }: Draft): void {
  setMode(first_frame_image_url ? 'image_to_video' : 'text_to_video')
  setPrompt(writePrompt(prompt, camera_movements, movementNames(), movementSeparator()))
}

/** Orders the draft's video and shows it. */
async function order(draft: Draft, key: string): Promise<void> {
  const { prompt = '', camera_movements = [], first_frame_image_url } = draft
  const form = $generation.get()
  const body = {
    task_type: form.taskType,
    model: draft.model ?? form.model,
    prompt,
    duration: draft.duration ?? form.duration,
    resolution: draft.resolution ?? form.resolution,
    prompt_optimizer: draft.prompt_optimizer ?? form.promptOptimizer,
    ...(camera_movements.length > 0 ? { camera_movements: [...camera_movements] } : {}),
    ...(first_frame_image_url ? { first_frame_image_url } : {}),
  }
  await send(body, key)
  watchCurrent()
}

/**
 * Starts the video that a visitor described before the sign-in. Its key makes reloads and second tabs start it once. The
 * draft stays if the server could not be reached. A draft that was also mailed only fills the form.
 */
export const startVideo = once(async () => {
  if ($stage.get() !== 'open' || !new URLSearchParams(location.search).has('draft')) return
  const draft = await readDraft().catch((error) => void showToast('danger', errorText(error), { ms: 8000 }))
  // The address stays, so that a reload tries again.
  if (draft === undefined) return
  history.replaceState(history.state, '', location.pathname)
  if (!draft || !(draft.prompt || draft.first_frame_image_url)) return
  fillForm(draft)
  if (draft.mailed) return writeLocalStart(null)
  const key = draft.key ?? newOrderKey()
  const unreached = await order(draft, key).then(
    () => false,
    (error) => !(error instanceof ApiError) || error.status === 0,
  )
  if (unreached) return
  writeLocalStart(null)
  if (draft.key) await call(removeStartDraft, { params: { key } }).catch(() => {})
})
