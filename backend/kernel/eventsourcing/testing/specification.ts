import { expect } from 'vitest'
import { type Decider, type Event, Rejection } from '../pure/decider.ts'

/** Given these facts, when this is asked, then that is decided: the form of every decider's tests. */
export function specification<S, C, E extends Event>(decider: Decider<S, C, E>) {
  const fold = (events: readonly E[]) => events.reduce(decider.evolve, decider.initial)

  const decided = (command: C, events: readonly E[]): readonly E[] | Rejection => {
    try {
      return decider.decide(command, fold(events))
    } catch (error) {
      if (error instanceof Rejection) return error
      throw error
    }
  }

  return (...given: readonly E[]) => ({
    when: (command: C) => ({
      /** Decides exactly these events, and asked once more adds nothing. */
      decides(...expected: readonly E[]) {
        expect(decided(command, given)).toEqual(expected)
        const again = decided(command, [...given, ...expected])
        expect(again instanceof Rejection ? [] : again).toEqual([])
      },
      decidesNothing() {
        expect(decided(command, given)).toEqual([])
      },
      rejects(code: string) {
        const outcome = decided(command, given)
        expect(outcome instanceof Rejection ? outcome.code : outcome).toBe(code)
      },
    }),
  })
}
