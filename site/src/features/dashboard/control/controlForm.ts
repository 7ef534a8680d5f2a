import * as z from 'zod/mini'
import { ControlChange, FIGURES, type Settings } from '#backend/installation/contract.ts'

/** Values of a native form: texts by field name. */
type Values = Readonly<Record<string, string>>

/** Returns the settings that a form shows. Its fields are named as the contract names their values. */
function settingsOf(values: Values): Record<keyof Settings, unknown> {
  const text = (name: string) => (values[`changes.${name}`] ?? '').trim()
  const chosen = (list: string) =>
    Object.keys(values).flatMap((name) => (name.startsWith(`${list} `) ? [name.slice(list.length + 1)] : []))
  const whole = (names: readonly string[], of: string) =>
    names.some((name) => text(`${of}.${name}`))
      ? Object.fromEntries(names.map((name) => [name, text(`${of}.${name}`)]))
      : null
  return {
    generation_paused: values.generation === 'on',
    registration_paused: values.registration === 'on',
    paused_models: chosen('model'),
    paused_tills: chosen('till'),
    banner: whole(['en', 'zh'], 'banner'),
    open_tasks: text('open_tasks') ? Number(text('open_tasks')) : null,
    figures: whole(FIGURES, 'figures'),
    blocked_words: text('blocked_words')
      .split('\n')
      .flatMap((line) => line.trim() || []),
  }
}

/** Returns the schema of the form, which sends what differs from the settings that it began with. */
export const controlForm = (before: Settings) =>
  z.pipe(
    z.transform((values: Values): z.input<typeof ControlChange> => {
      // JSON has no number for a text that is none, so it would look like an empty field.
      const isNew = ([name, value]: [string, unknown]) =>
        Number.isNaN(value) || JSON.stringify(value) !== JSON.stringify(before[name as keyof Settings])
      return {
        reason: values.reason ?? '',
        changes: Object.fromEntries(Object.entries(settingsOf(values)).filter(isNew)) as Partial<Settings>,
      }
    }),
    ControlChange,
  )
