import { atom } from 'nanostores'
import type * as z from 'zod/mini'
import { creditCost, type Generation, generate } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { codeText, errorText } from '../../api/errorText.ts'
import { hasPlans } from '../../api/installation.ts'
import { modelNamed } from '../../api/models.ts'
import { newOrderKey } from '../../api/orderKey.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { loadTexts } from '../../i18n/lateTexts.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { joinBatch } from './batches.ts'
import { type FrameUrls, firstFrame, frameUrls, lastFrame } from './frames/frames.ts'
import { $blocked } from './generate/blocked.ts'
import { $count, setCount } from './generate/takeCount.ts'
import { watchCurrent } from './generate/watched.ts'
import {
  $faults,
  $generation,
  $parent,
  $prompts,
  type GenerationForm,
  loadModels,
  readForm,
  setByLine,
} from './generation.ts'
import { optionFields } from './options/optionRules.ts'
import { $payer } from './pay/payer.ts'
import { connectRealtime } from './realtime.ts'
import { showTake } from './stage/takes.ts'
import { putTask, refreshList } from './tasks.ts'

export const $submitting = atom(false)

/** Loads the server's rules, which are applied before a request is sent. Without them, only the server applies them. */
export const loadRules = () =>
  Promise.all([import('./rules.ts'), loadTexts()]).then(
    ([rules]) => rules,
    () => undefined,
  )

/** Builds the request body from what the mode and the model take. */
export function bodyOf(form: GenerationForm, { first, last, references }: FrameUrls): z.input<typeof Generation> {
  const { text, movements } = readForm(form)
  const model = modelNamed(form.model)
  const isImage = form.taskType === 'image_to_video'
  const sent = references.slice(0, model?.inputs.references ?? 0)
  return {
    task_type: form.taskType,
    model: form.model,
    prompt: text,
    duration: form.duration,
    resolution: form.resolution,
    prompt_optimizer: form.promptOptimizer,
    ...(movements.length > 0 ? { camera_movements: [...movements] } : {}),
    ...(isImage ? { first_frame_image_url: first } : {}),
    ...(isImage && last && model?.inputs.lastFrame ? { last_frame_image_url: last } : {}),
    ...(sent.length > 0 ? { reference_image_urls: sent } : {}),
    ...optionFields(model, form),
    expected_credits: creditCost(model, form),
  }
}

/** Time in which the same order counts as a retry, ms. The list shows by then whether it was accepted. */
const RETRIED_WITHIN_MS = 2 * 60_000

/** Idempotency keys of unsuccessful requests, by request body. Retries reuse them to avoid double charges. */
const unanswered = new Map<string, { readonly key: string; readonly since: number }>()

function keyFor(order: string): string {
  const known = unanswered.get(order)
  if (known && Date.now() - known.since < RETRIED_WITHIN_MS) return known.key
  const key = newOrderKey()
  unanswered.set(order, { key, since: Date.now() })
  return key
}

const NEEDS_UPGRADE = new Set(['insufficient_credits', 'queue_full', 'plan_required'])
/** The form and the buttons offer only what the catalogue had, so these say that it has changed. */
const CHANGED_CATALOGUE = new Set(['price_changed', 'unknown_model', 'model_paused'])

function showFailure(error: unknown): void {
  const t = translate()
  const named = error instanceof ApiError ? error.faults[0] : undefined
  const code = error instanceof ApiError ? error.code : undefined
  const isTeams = $payer.get() !== null
  const text = named
    ? codeText(named.code)
    : isTeams && code === 'insufficient_credits'
      ? t('workspace.pay.short')
      : !hasPlans() && (code === 'insufficient_credits' || code === 'queue_full')
        ? t(`workspace.withoutPlans.${code}`)
        : errorText(error, t('workspace.createFailed'))
  const needsUpgrade = NEEDS_UPGRADE.has(code ?? '')
  const link = { href: localHref('/?section=pricing'), label: t('workspace.form.plans') }
  showToast('danger', text, { ms: 8000, ...(needsUpgrade && !isTeams && hasPlans() ? { link } : {}) })
  // The balance, plan or queue on the page is stale.
  if (needsUpgrade || code === 'member_limit_reached' || code === 'not_in_team') void refreshList()
  if (code === 'not_in_team') $payer.set(null)
  if (CHANGED_CATALOGUE.has(named?.code ?? code ?? '')) void loadModels().catch(() => {})
}

/**
 * Creates a task, which the chosen team pays for, and shows the result in a toast, one for all tasks of a `batch`. `key` is the idempotency key, if it must
 * outlive the page.
 * @throws the request error, after showing it
 */
export async function send(ordered: z.input<typeof Generation>, key?: string, batch: string[] = []): Promise<void> {
  const payer = $payer.get()
  const body = payer ? { ...ordered, team_id: payer.id } : ordered
  // The price is left out, so that a retry at another price has the same key.
  const { expected_credits: _, ...rest } = body
  const order = JSON.stringify(rest)
  const isRetry = unanswered.has(order)
  try {
    const { task } = await call(generate, { body, headers: { 'Idempotency-Key': key ?? keyFor(order) } })
    unanswered.delete(order)
    putTask(task)
    showTake(task.id)
    joinBatch(task.id, batch)
    const link = { href: localHref(task.url), label: translate()('workspace.task.filmPage') }
    showToast('success', translate()('workspace.task.created_toast'), { key: batch[0], link })
  } catch (error) {
    const code = error instanceof ApiError && error.code
    if (code === 'idempotency_key_reused' || code === 'not_found') unanswered.delete(order)
    // The request before was accepted, and its task deleted since.
    if (code === 'not_found' && isRetry && !key) return send(ordered, key, batch)
    showFailure(error)
    throw error
  }
  void refreshList()
  connectRealtime()
}

/** Shows the server's validation errors next to the affected fields. */
function showFaults(error: unknown): void {
  if (!(error instanceof ApiError)) return
  const faults = Object.fromEntries(error.faults.map(({ path, code }) => [path.split('.')[0] ?? path, code]))
  $faults.set(faults)
  if (faults.first_frame_image_url) firstFrame.remove()
  if (faults.last_frame_image_url) lastFrame.remove()
}

/**
 * Validates the form and submits it once per prompt and take; a failure ends the series. Only the first take has the form's
 * seed, because another one with the same seed would be the same video. Does nothing while a submission is in progress,
 * or while the note beside Generate says why it cannot be used.
 */
export async function submit(): Promise<void> {
  if ($submitting.get() || $blocked.get()) return
  const from = $parent.get()
  const body = { ...bodyOf($generation.get(), frameUrls()), ...(from ? { from } : {}) }
  $submitting.set(true)
  const faults = (await loadRules())?.faultsOf(body) ?? {}
  $faults.set(faults)
  if (Object.keys(faults).length > 0) return $submitting.set(false)
  const count = $count.get()
  const prompts = $prompts.get()
  const { seed: _, ...others } = body
  const batch: string[] = []
  try {
    for (const prompt of prompts)
      for (let take = 1; take <= count; take++)
        await send({ ...(take === 1 ? body : others), prompt }, undefined, batch)
    setByLine(false)
    $parent.set(null)
    watchCurrent()
  } catch (error) {
    showFaults(error)
  }
  setCount(1)
  $submitting.set(false)
}
