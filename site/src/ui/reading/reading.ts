import type { understand } from '#backend/tasks/contract.ts'
import type { Answer } from '../../api/api.ts'
import type { Translate } from '../../i18n/keys.ts'

export type Reading = Answer<typeof understand>

/** Returns what a person reads about a prompt: the words that are drawn, those drawn as something else, and the others. */
export function linesOf({ words }: Reading, t: Translate): { as: Reading['words'][number]['as']; text: string }[] {
  const named = (as: Reading['words'][number]['as']) => [
    ...new Set(
      words
        .filter((word) => word.as === as)
        .map(({ text, label }) => (as === 'drawn_as' && label ? t('reading.pair', { word: text, label }) : text)),
    ),
  ]
  return (
    [
      ['drawn', 'reading.drawn'],
      ['drawn_as', 'reading.drawnAs'],
      ['missing', 'reading.missing'],
    ] as const
  ).flatMap(([as, key]) => {
    const list = named(as)
    return list.length > 0 ? [{ as, text: t(key, { words: list.join(t('reading.separator')) }) }] : []
  })
}
