import * as z from 'zod/mini'
import { KeyCreation, KeyRotation } from '#backend/apiKeys/contract.ts'
import { SCOPES } from '#backend/kernel/http/contract.ts'

/** Values of a native form: texts by field name. */
type Values = Readonly<Record<string, string>>

/** Name of the checkbox of one value of a list. `Object.fromEntries` keeps one value of each name. */
export const boxOf = (list: 'scopes' | 'models' | 'event_types', value: string): string => `${list} ${value}`

const MODEL = boxOf('models', '')
const modelsOf = (values: Values) => {
  const chosen = Object.keys(values).filter((name) => name.startsWith(MODEL))
  return chosen.length > 0 ? chosen.map((name) => name.slice(MODEL.length)) : null
}

/** Reads a number. An empty field is null; a text that is no number is refused by the contract. */
const numberOf = (text = '') => (text.trim() === '' ? null : Number(text))

/** Reads one network per line, without empty lines. */
const linesOf = (text = '') => {
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  return lines.length > 0 ? lines : null
}

/** Schema of the form that creates a key. */
export const KeyForm = z.pipe(
  z.transform(
    (values: Values): z.input<typeof KeyCreation> => ({
      name: values.name ?? '',
      scopes: SCOPES.filter((scope) => boxOf('scopes', scope) in values),
      credits_per_day: numberOf(values.credits_per_day),
      credits_per_month: numberOf(values.credits_per_month),
      models: modelsOf(values),
      networks: linesOf(values.networks),
      team_id: values.team_id || null,
      expires_in_days: numberOf(values.expires_in_days),
      password: values.password,
    }),
  ),
  KeyCreation,
)
export type NewKey = z.output<typeof KeyForm>

/** Schema of the form that rotates a key. */
export const RotationForm = z.pipe(
  z.transform(
    (values: Values): z.input<typeof KeyRotation> => ({
      overlap_hours: Number(values.overlap_hours),
      password: values.password,
    }),
  ),
  KeyRotation,
)
export type Rotation = z.output<typeof RotationForm>
