import { FULL } from '#backend/testing/fullRun.ts'
export type Language = 'en' | 'zh'

const BOTH = ['en', 'zh'] as const
let turn = 0

/**
 * The languages of one test: both in `npm run test:full`; in `npm test` they take turns, from test to test of a file, so
 * that each is seen by half of them.
 */
export const languagesInTurn = (first: Language = 'en'): readonly Language[] =>
  FULL ? BOTH : [BOTH[(turn++ + BOTH.indexOf(first)) % 2]!]
