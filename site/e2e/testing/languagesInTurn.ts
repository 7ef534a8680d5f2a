import { FULL } from '#backend/testing/fullRun.ts'
export type Language = 'en' | 'zh'

const BOTH = ['en', 'zh'] as const
let turn = 0

/**
 * Returns a test's languages: both in `npm run test:full`. In `npm test`, the tests of a file alternate between them.
 */
export const languagesInTurn = (first: Language = 'en'): readonly Language[] =>
  FULL ? BOTH : [BOTH[(turn++ + BOTH.indexOf(first)) % 2]!]
