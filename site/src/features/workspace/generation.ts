/** The form of the workspace: its state, its changes, and what can be said about it. */
import { atom, computed, map } from 'nanostores'
import { type CameraMovement, creditCost, modelNamed, type TaskType } from '#backend/tasks/contract.ts'
import { $credits } from '../../api/credits.ts'
import { translate } from '../../i18n/client.ts'
import { movementNames, movementSeparator, readPrompt, writePrompt } from '../../i18n/movements.ts'
import { showToast } from '../../ui/toasts.ts'
import * as rules from './generationRules.ts'

export interface GenerationForm extends rules.Choices {
  /** What stands in the box, the bracketed list of movements included. */
  readonly prompt: string
  readonly promptOptimizer: boolean
}

export const $generation = map<GenerationForm>({ ...rules.DEFAULT_CHOICES, prompt: '', promptOptimizer: true })

/** Codes by the contract's field names. */
export const $faults = atom<Readonly<Record<string, string>>>({})

export const $cost = computed($generation, creditCost)

/** Whether the balance is known and too low. */
export const $short = computed([$cost, $credits], (cost, credits) => credits !== null && credits.remaining < cost)

/** Whether the choices are for paid plans and the reader is on Free. */
export const $needsPlan = computed([$generation, $credits], (form, credits) =>
  rules.needsPlan(form, credits?.tier ?? null),
)

/** The text and the movements that would be sent. */
export const readForm = (form: GenerationForm) => {
  if (!modelNamed(form.model).cameraMovements) return { text: form.prompt.trim(), movements: [] }
  return readPrompt(form.prompt, movementNames())
}

/** Characters of the description as it is sent: the list of movements does not count. */
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

function take({ choices, forced }: rules.Settled): void {
  const form = $generation.get()
  const { text, movements } = readForm(form)
  const prompt = modelNamed(choices.model).cameraMovements ? form.prompt : text
  $generation.set({ ...form, ...choices, prompt })
  $faults.set({})
  announce(forced, movements.length > 0)
}

export const setMode = (taskType: TaskType) => take(rules.chooseMode($generation.get(), taskType))
export const setModel = (model: rules.Choices['model']) => take(rules.chooseModel($generation.get(), model))
export const setResolution = (value: rules.Choices['resolution']) =>
  take(rules.chooseResolution($generation.get(), value))
export const setDuration = (value: rules.Choices['duration']) => take(rules.chooseDuration($generation.get(), value))

/** The fixed reading of the product as one click. */
export function setQuick(): void {
  const choices = rules.chooseQuick($generation.get())
  take({ choices, forced: [] })
  showToast('info', translate()('workspace.changed.quick', { model: choices.model }))
}

export function setPrompt(prompt: string): void {
  $generation.setKey('prompt', prompt)
  clearFault('prompt')
}

export const setOptimizer = (on: boolean) => $generation.setKey('promptOptimizer', on)

/** Writes the chosen movements into the prompt. */
export function applyMovements(movements: readonly CameraMovement[]): void {
  const { prompt } = $generation.get()
  setPrompt(writePrompt(prompt, movements, movementNames(), movementSeparator()))
  clearFault('camera_movements')
}

export function clearFault(field: string): void {
  const { [field]: gone, ...rest } = $faults.get()
  if (gone) $faults.set(rest)
}
