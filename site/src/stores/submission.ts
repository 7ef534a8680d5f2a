/** Sending the form. */
import { atom } from 'nanostores'
import type * as z from 'zod/mini'
import { Generation, generate } from '#backend/tasks/contract.ts'
import { translate } from '../i18n/client.ts'
import { call } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { check } from '../lib/check.ts'
import { errorText } from '../lib/errorText.ts'
import { loadCredits } from './credits.ts'
import { $firstFrame } from './firstFrame.ts'
import { $faults, $generation, type GenerationForm, readForm } from './generation.ts'
import { connectRealtime } from './realtime.ts'
import { putTask, refreshList } from './tasks.ts'
import { showToast } from './toasts.ts'

export const $submitting = atom(false)

/** The body of the call. */
export function bodyOf(form: GenerationForm, imageUrl: string | null): z.input<typeof Generation> {
  const { text, movements } = readForm(form)
  return {
    task_type: form.taskType,
    model: form.model,
    prompt: text,
    duration: form.duration,
    resolution: form.resolution,
    prompt_optimizer: form.promptOptimizer,
    ...(movements.length > 0 ? { camera_movements: [...movements] } : {}),
    ...(form.taskType === 'image_to_video' ? { first_frame_image_url: imageUrl } : {}),
  }
}

let unanswered: { readonly body: string; readonly key: string } | undefined

/** The same submission keeps its key until it is answered, so that a retry cannot be charged twice. */
export function keyFor(body: string): string {
  if (unanswered?.body !== body) unanswered = { body, key: crypto.randomUUID() }
  return unanswered.key
}
export function forgetKey(): void {
  unanswered = undefined
}

function fail(error: unknown): void {
  if (error instanceof ApiError) {
    if (error.code === 'idempotency_key_reused') forgetKey()
    if (error.faults.length > 0)
      $faults.set(Object.fromEntries(error.faults.map(({ path, code }) => [path.split('.')[0] ?? path, code])))
    if (error.status === 402 || error.status === 403) void loadCredits().catch(() => {})
  }
  showToast('danger', errorText(error, translate()('workspace.createFailed')), { ms: 8000 })
}

/** Checks and sends the form; answers whether a task was started. */
export async function submit(): Promise<boolean> {
  if ($submitting.get()) return false
  const frame = $firstFrame.get()
  const body = bodyOf($generation.get(), frame.status === 'ready' ? frame.url : null)
  const checked = check(Generation, body)
  $faults.set(checked.ok ? {} : checked.faults)
  if (!checked.ok) return false
  $submitting.set(true)
  try {
    const key = keyFor(JSON.stringify(body))
    const { task } = await call(generate, { body, headers: { 'Idempotency-Key': key } })
    forgetKey()
    putTask(task)
    showToast('success', translate()('workspace.task.created_toast'))
    void loadCredits().catch(() => {})
    void refreshList()
    connectRealtime()
    return true
  } catch (error) {
    fail(error)
    return false
  } finally {
    $submitting.set(false)
  }
}
