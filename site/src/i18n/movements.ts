/** Toggles camera movements, and reads and writes their bracketed list in the prompt. */
import {
  CAMERA_MOVEMENT_VALUES,
  CAMERA_MOVEMENTS,
  type CameraMovement,
  MAX_CAMERA_MOVEMENTS,
} from '#backend/tasks/contract.ts'
import en from '#content/en/movements.json' with { type: 'json' }
import { pageLocale, translate } from './client.ts'

export type MovementNames = Readonly<Record<CameraMovement, string>>
type Chosen = readonly CameraMovement[]

/** Returns the names of all movements in the page's language. */
export function movementNames(): MovementNames {
  const t = translate()
  const entries = Object.entries(CAMERA_MOVEMENTS).map(([value, { key }]) => [value, t(`movements.name.${key}`)])
  return Object.fromEntries(entries) as MovementNames
}

export const movementSeparator = () => (pageLocale() === 'zh' ? '，' : ', ')

/** Adds or removes a movement. Adding one removes its opposite and, if more than three remain, the earliest. */
export function toggleMovement(chosen: Chosen, movement: CameraMovement): Chosen {
  if (chosen.includes(movement)) return chosen.filter((other) => other !== movement)
  const opposite: CameraMovement | null = CAMERA_MOVEMENTS[movement].opposite
  return [...chosen.filter((other) => other !== opposite), movement].slice(-MAX_CAMERA_MOVEMENTS)
}

/** Prompts outlive a change of language: their lists may be English on any page. The stored values are Chinese. */
const englishName = (value: CameraMovement) => en.name[CAMERA_MOVEMENTS[value].key].toLowerCase()

function namedIn(list: string, names: MovementNames): Chosen | undefined {
  const words = list.split(/[,，、]/).map((word) => word.trim().toLowerCase())
  const found = words.map((word) =>
    CAMERA_MOVEMENT_VALUES.find((value) => [value, names[value].toLowerCase(), englishName(value)].includes(word)),
  )
  return found.every((movement) => movement !== undefined) ? found : undefined
}

const BRACKETS = /\s{0,8}[[【]([^\][【】]*)[\]】]/g

/** Splits a prompt into its text and the movements named in its bracketed lists. */
export function readPrompt(box: string, names: MovementNames): { text: string; movements: Chosen } {
  let movements: Chosen = []
  const text = box.replace(BRACKETS, (whole, list: string) => {
    const named = namedIn(list, names)
    if (!named) return whole
    for (const movement of named) if (!movements.includes(movement)) movements = toggleMovement(movements, movement)
    return ''
  })
  return { text: text.trim(), movements }
}

/** Returns the prompt with the list of movements, replacing an earlier list. */
export function writePrompt(box: string, movements: Chosen, names: MovementNames, separator: string): string {
  const { text } = readPrompt(box, names)
  if (movements.length === 0) return text
  const list = `[${movements.map((movement) => names[movement]).join(separator)}]`
  return text ? `${text} ${list}` : list
}

/** Returns the prompt with its list of movements, if any, in the page's language. */
export function inPageLanguage(box: string): string {
  const names = movementNames()
  const { movements } = readPrompt(box, names)
  return movements.length > 0 ? writePrompt(box, movements, names, movementSeparator()) : box
}
