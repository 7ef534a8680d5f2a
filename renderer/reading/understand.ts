import type { Understanding } from '../../backend/tasks/videoProvider.port.ts'
import { type Kind, lexicon } from './lexicon.ts'
import { placeOf } from './placeOf.ts'
import { readPrompt } from './readPrompt.ts'

/** Returns what the demo draws of a prompt, as words of a language, and the words of the prompt that it does not draw. */
export function understand(prompt: string, language: 'en' | 'zh'): Understanding {
  const reading = readPrompt(prompt)
  const name = (kind: Kind, value: string | undefined) =>
    value ? lexicon().nameOf({ kind, value }, language) : undefined
  const isUnderstood = reading.subjects.length > 0 || reading.place !== undefined
  const drawn = [
    isUnderstood ? name('place', placeOf(reading)) : undefined,
    name('time', reading.time),
    ...reading.weather.map((weather) => name('weather', weather)),
    name('season', reading.season),
    ...reading.styles.map((style) => name('style', style)),
    ...reading.subjects.map(({ isIcon, name: subject, text }) => name(isIcon ? 'icon' : 'subject', subject) ?? text),
  ]
  return { drawn: [...new Set(drawn.filter((word) => word !== undefined))], missing: reading.unknown }
}
