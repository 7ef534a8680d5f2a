import { expect, TestRunner } from 'vitest'
import { FULL, SEED } from './fullRun.ts'

/** Calls of each file while its tests are collected. The files of a worker share this module. */
const turns = new Map<string, number>()

const hashOf = (text: string) => [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, 0)

/** Counts the calls of a file, so that its tests differ. A second attempt of a test has the choice of the first one. */
function nextTurn(): number {
  const test = TestRunner.getCurrentTest()
  if (test) return hashOf(test.name)
  const file = expect.getState().testPath ?? ''
  const turn = turns.get(file) ?? 0
  turns.set(file, turn + 1)
  return turn
}

/**
 * Returns the cases of a test: all in `npm run test:full`. In `npm test`, the seed chooses about `count` of them, at least
 * one. Any `all.length / count` seeds that follow each other choose all.
 *
 * @example it.each(sampled(FAULTS, 3))('detects %s', …)
 */
export function sampled<T>(all: readonly T[], count = 1): readonly T[] {
  const step = Math.min(Math.ceil(all.length / count), all.length)
  const start = SEED + nextTurn()
  return FULL ? all : all.filter((_, index) => (index + start) % step === 0)
}
