import type { Locale } from '../../i18n/core.ts'
import { WALL } from '../../media/wall.ts'
import type { Reading } from './reading.ts'

/** Returns three prompts with pictures that the demo draws, those with most of the words that it drew first. */
export function nearPrompts({ drawn }: Reading, locale: Locale): { prompt: string; poster: string }[] {
  const sharedBy = (prompt: string) => drawn.filter((word) => prompt.toLowerCase().includes(word)).length
  return WALL.map((shot) => ({ prompt: shot.prompt[locale], poster: shot.poster }))
    .toSorted((a, b) => sharedBy(b.prompt) - sharedBy(a.prompt))
    .slice(0, 3)
}
