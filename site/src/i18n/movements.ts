/** Camera movements: the choice, and the bracketed list that stands for it in the prompt. */
import {
  CAMERA_MOVEMENT_VALUES,
  CAMERA_MOVEMENTS,
  type CameraMovement,
  MAX_CAMERA_MOVEMENTS,
} from '#backend/tasks/contract.ts'

export type MovementNames = Readonly<Record<CameraMovement, string>>
type Chosen = readonly CameraMovement[]

/** Puts a movement in or takes it out: its opposite goes, and beyond three the earliest goes. */
export function toggleMovement(chosen: Chosen, movement: CameraMovement): Chosen {
  if (chosen.includes(movement)) return chosen.filter((other) => other !== movement)
  const opposite: CameraMovement | null = CAMERA_MOVEMENTS[movement].opposite
  return [...chosen.filter((other) => other !== opposite), movement].slice(-MAX_CAMERA_MOVEMENTS)
}

function namedIn(list: string, names: MovementNames): Chosen | undefined {
  const words = list.split(/[,，、]/).map((word) => word.trim().toLowerCase())
  const found = words.map((word) =>
    CAMERA_MOVEMENT_VALUES.find((value) => value === word || names[value].toLowerCase() === word),
  )
  return found.every((movement) => movement !== undefined) ? found : undefined
}

const BRACKETS = /\s*[[【]([^\][【】]*)[\]】]/g

/** Splits what is in the prompt box into the text and the movements that its bracketed lists name. */
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

/** Writes the movements into the prompt box, in place of any earlier list. */
export function writePrompt(box: string, movements: Chosen, names: MovementNames, separator: string): string {
  const { text } = readPrompt(box, names)
  if (movements.length === 0) return text
  const list = `[${movements.map((movement) => names[movement]).join(separator)}]`
  return text ? `${text} ${list}` : list
}
