import { sampled } from '#backend/testing/sampled.ts'

export type Language = 'en' | 'zh'

/** A language with the width at which it is looked at. */
export const VIEWS = [
  ['en', 1280],
  ['zh', 390],
] as const

/**
 * Returns a test's languages: both in `npm run test:full`. In `npm test`, the tests of a file alternate between them, and
 * the seed decides which one begins.
 */
export const languagesInTurn = (first: Language = 'en'): readonly Language[] =>
  sampled<Language>(first === 'en' ? ['en', 'zh'] : ['zh', 'en'])

/** Like `languagesInTurn`, with a width for each language. */
export const viewsInTurn = () => sampled(VIEWS)
