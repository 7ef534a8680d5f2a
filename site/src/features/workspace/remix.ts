import { CAMERA_MOVEMENTS, configurationFault, type Generation, ratiosOf, type Task } from '#backend/tasks/contract.ts'
import { type FormModel, modelNamed } from '../../api/models.ts'
import { choicesOf, costOf } from '../../api/task/taskCost.ts'
import { whileBusy } from '../../api/taskActions.ts'
import { translate } from '../../i18n/client.ts'
import { movementNames, movementSeparator, writePrompt } from '../../i18n/movements.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { restoreFrames } from './frames/frames.ts'
import { $faults, $generation, $parent } from './generation.ts'
import { send } from './submission.ts'

/**
 * Creates a new task with the same settings and, where the model takes one, a new seed.
 * @param credits the price that the user saw
 */
export const generateAgain = (task: Task, credits = costOf(task)): Promise<void> =>
  whileBusy(task.id, 'again', () =>
    order(task, credits, {
      ...(modelNamed(task.model)?.seed ? { seed: crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1 } : {}),
      ...(task.status === 'Success' ? { from: { task_id: task.id, as: 'take' } } : {}),
    }),
  )

/** Failures of which the order itself, or its owner, is the reason. */
const OWN_FAULTS: readonly Task['error_code'][] = [null, 'cancelled', 'content_refused', 'image_unreadable']

/**
 * Returns the model that another try of a failed task should use: one that takes the same order, on another engine if
 * possible. Drawings of the demo are not offered in place of a film.
 */
export function otherModel(task: Task, models: readonly FormModel[]): FormModel | undefined {
  if (task.status !== 'Fail' || OWN_FAULTS.includes(task.error_code)) return undefined
  const isElsewhere = ({ engines }: FormModel) => !engines.includes(task.engine ?? '')
  const fitting = models.filter(
    (model) => model.id !== task.model && !model.engines.includes('demo') && takes(model, task),
  )
  return fitting.find(isElsewhere) ?? fitting[0]
}

/** Returns whether a model takes everything that a task asks for. */
function takes(model: FormModel, task: Task): boolean {
  const { aspect_ratio: ratio, reference_image_urls: references, camera_movements: movements } = task
  return (
    configurationFault(model, { ...choicesOf(task), model: model.id }) === undefined &&
    (ratio === null || ratiosOf(model).includes(ratio)) &&
    (!task.last_frame_image_url || model.inputs.lastFrame) &&
    references.length <= model.inputs.references &&
    (movements.length === 0 || model.cameraMovements) &&
    (!task.negative_prompt || model.negativePrompt) &&
    (task.sound === null || model.sound) &&
    (task.seed === null || model.seed)
  )
}

/** Creates a new task with the settings of a failed one and another model. */
export const tryElsewhere = (task: Task, { id: model }: FormModel, credits: number): Promise<void> =>
  whileBusy(task.id, 'elsewhere', () =>
    order({ ...task, model }, credits, task.seed === null ? {} : { seed: task.seed }),
  )

/** Creates a new task that makes a finished video again in a higher resolution. */
export const regenerate = (task: Task, resolution: string): Promise<void> =>
  whileBusy(task.id, 'regenerate', () => {
    const higher = { ...task, resolution }
    const more = { source_task_id: task.id, ...(task.seed === null ? {} : { seed: task.seed }) }
    return order(higher, costOf(higher), more)
  })

async function order(task: Task, credits: number, more: Partial<Generation>): Promise<void> {
  const { task_type, model, prompt, resolution, prompt_optimizer, camera_movements, first_frame_image_url } = task
  const { reference_image_urls: references, last_frame_image_url: last, negative_prompt, sound } = task
  await send({
    task_type,
    model,
    prompt,
    duration: choicesOf(task).duration,
    resolution,
    prompt_optimizer,
    ...(camera_movements.length > 0 ? { camera_movements } : {}),
    ...(task_type === 'image_to_video' ? { first_frame_image_url } : {}),
    ...(last ? { last_frame_image_url: last } : {}),
    ...(references.length > 0 ? { reference_image_urls: references } : {}),
    ...(task.aspect_ratio ? { aspect_ratio: task.aspect_ratio } : {}),
    ...(negative_prompt ? { negative_prompt } : {}),
    ...(sound === null ? {} : { sound }),
    expected_credits: credits,
    ...more,
  }).catch(() => {})
}

/** Copies a task's settings into the form. @param options.quiet shows no toast */
export function remix(task: Task, { quiet = false, as = 'remix' as 'extend' | 'remix' } = {}): void {
  $parent.set({ task_id: task.id, as })
  const known = task.camera_movements.filter((movement) => movement in CAMERA_MOVEMENTS)
  $generation.set({
    ...$generation.get(),
    ...choicesOf(task),
    prompt: writePrompt(task.prompt, known, movementNames(), movementSeparator()),
    promptOptimizer: task.prompt_optimizer,
    aspectRatio: task.aspect_ratio,
    sound: task.sound ?? true,
    seed: task.seed === null ? '' : String(task.seed),
    negativePrompt: task.negative_prompt ?? '',
  })
  $faults.set({})
  const { first_frame_image_url: first, last_frame_image_url: last, reference_image_urls: references } = task
  restoreFrames({ first, last, references })
  if (!quiet) showToast('info', translate()('workspace.changed.remix'))
}

/** Copies a task's settings into the form and scrolls to it. */
export function startRemix(task: Task): void {
  remix(task)
  document.getElementById('form-heading')?.scrollIntoView({ block: 'start' })
  document.getElementById('prompt')?.focus({ preventScroll: true })
}
