import { atom, computed, map } from 'nanostores'
import { type Notices, notices } from '#backend/installation/contract.ts'
import { type CameraMovement, creditCost, listModels, type TaskType } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'
import { limitsOf } from '../../api/credits.ts'
import { $models, type FormModel, formModel, modelNamed } from '../../api/models.ts'
import { translate } from '../../i18n/client.ts'
import { movementNames, movementSeparator, readPrompt, writePrompt } from '../../i18n/movements.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import * as rules from './generationRules.ts'
import { NO_OPTIONS, type Options, ratioOf } from './options/optionRules.ts'
import { $purse } from './pay/payer.ts'

export interface GenerationForm extends rules.Choices, Options {
  /** Text of the prompt field, including the bracketed list of camera movements. */
  readonly prompt: string
  readonly promptOptimizer: boolean
}

export const $generation = map<GenerationForm>({
  ...rules.DEFAULT_CHOICES,
  ...NO_OPTIONS,
  prompt: '',
  promptOptimizer: true,
})

/** The film that the form was filled from, which the next order names. */
export const $parent = atom<{ readonly task_id: string; readonly as: 'extend' | 'remix' } | null>(null)

/** Validation error codes, keyed by contract field name. */
export const $faults = atom<Readonly<Record<string, string>>>({})

export const $cost = computed([$generation, $models], (form, models) =>
  creditCost(
    models.find(({ id }) => id === form.model),
    form,
  ),
)

/** True if the settings require a paid plan and the limits of the Free plan apply. */
export const $needsPlan = computed([$generation, $purse], (form, purse) => rules.needsPlan(form, limitsOf(purse)))

/** Returns the prompt text and the camera movements to send. */
export const readForm = (form: GenerationForm) => {
  if (!modelNamed(form.model)?.cameraMovements) return { text: form.prompt.trim(), movements: [] }
  return readPrompt(form.prompt, movementNames())
}

/** Most prompts that one order takes. */
const MOST_LINES = 10

const $byLine = atom(false)
export const setByLine = (on: boolean): void => $byLine.set(on)

/** The lines of the prompt that are not empty. Two or more may be prompts of their own. */
export const $lines = computed($generation, (form) => {
  const lines = readForm(form).text.split('\n')
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, MOST_LINES)
})

/** The prompts that Generate makes films of: the whole text, or each of its lines. */
export const $prompts = computed([$lines, $byLine, $generation], (lines, byLine, form) =>
  byLine && lines.length > 1 ? lines : [readForm(form).text],
)

/** True if the balance is known to be lower than the cost. */
export const $short = computed(
  [$cost, $purse, $prompts],
  (cost, purse, { length }) => purse !== null && purse.remaining < cost * length,
)

/** Length of the prompt in characters, excluding the list of camera movements. */
export const $promptLength = computed($generation, (form) => readForm(form).text.length)

export const $movements = computed($generation, (form) => readForm(form).movements)

function announce(forced: readonly rules.Forced[], hadMovements: boolean): void {
  const t = translate()
  for (const change of forced) {
    if (change.kind === 'settings') {
      const { resolution, duration } = change
      showToast('info', t('workspace.changed.settings', { resolution, duration }))
    } else if (change.kind === 'model') showToast('info', t('workspace.changed.model', { model: change.model }))
    else if (hadMovements) showToast('info', t('workspace.changed.movementsCleared', { model: change.model }))
  }
}

function applyChoices({ choices, forced }: rules.Settled): void {
  const form = $generation.get()
  const { text, movements } = readForm(form)
  const prompt = modelNamed(choices.model)?.cameraMovements ? form.prompt : text
  $generation.set({ ...form, ...choices, prompt })
  $faults.set({})
  announce(forced, movements.length > 0)
  announceRatio(form.aspectRatio, choices.model)
}

/** Says which aspect ratio replaces a chosen one that the model does not offer. */
function announceRatio(chosen: string | null, model: string): void {
  const ratio = ratioOf(modelNamed(model), chosen)
  if (chosen === null || ratio === chosen) return
  $generation.setKey('aspectRatio', null)
  if (ratio) showToast('info', translate()('workspace.changed.ratio', { ratio }))
}

export const setMode = (taskType: TaskType) => applyChoices(rules.chooseMode($generation.get(), taskType))
export const setModel = (model: rules.Choices['model']) => applyChoices(rules.chooseModel($generation.get(), model))
export const setResolution = (value: rules.Choices['resolution']) =>
  applyChoices(rules.chooseResolution($generation.get(), value))
export const setDuration = (value: rules.Choices['duration']) =>
  applyChoices(rules.chooseDuration($generation.get(), value))

/** Loads the catalogue. A form whose model is not offered switches to one that is. */
export async function loadModels(): Promise<void> {
  const [models, { paused }] = await Promise.all([call(listModels), call(notices).catch((): Notices => ({}))])
  const isPaused = ({ id }: FormModel) => paused?.models?.includes(id)
  // Paused models offer nothing. Films of theirs keep their names.
  $models.set(models.map(formModel).map((model) => (isPaused(model) ? { ...model, shapes: [] } : model)))
  const form = $generation.get()
  const types = rules.offeredTypes($models.get())
  const isTaken = types.includes(form.taskType)
  if (!isTaken || !rules.isOffered(form) || rules.isStandIn(form)) setMode(isTaken ? form.taskType : types[0]!)
}

/** Applies the Quick preset: the Director model, 720P and 6 seconds. */
export function setQuick(): void {
  const choices = rules.chooseQuick($generation.get())
  applyChoices({ choices, forced: [] })
  showToast('info', translate()('workspace.changed.quick', { model: choices.model }))
}

export function setPrompt(prompt: string): void {
  $generation.setKey('prompt', prompt)
  clearFault('prompt')
}

const FIELDS = { aspectRatio: 'aspect_ratio', sound: 'sound', seed: 'seed', negativePrompt: 'negative_prompt' } as const

export function setOption<K extends keyof Options>(name: K, value: Options[K]): void {
  $generation.set({ ...$generation.get(), [name]: value })
  clearFault(FIELDS[name])
}

export const setOptimizer = (on: boolean) => $generation.setKey('promptOptimizer', on)

/** Writes the selected camera movements into the prompt. */
export function applyMovements(movements: readonly CameraMovement[]): void {
  const { prompt } = $generation.get()
  setPrompt(writePrompt(prompt, movements, movementNames(), movementSeparator()))
  clearFault('camera_movements')
}

export function clearFault(field: string): void {
  const { [field]: cleared, ...rest } = $faults.get()
  if (cleared) $faults.set(rest)
}
