import { expect } from 'vitest'
import { assertSound, type Decider, type Event, Rejection } from '../pure/decider.ts'

/** Given/when/then for deciders: given past events, when a command arrives, then it decides events or is rejected. */
export function specification<S, C, E extends Event>(decider: Decider<S, C, E>) {
  const fold = (events: readonly E[]) => events.reduce(decider.evolve, decider.initial)

  const decided = (command: C, events: readonly E[]): readonly E[] | Rejection => {
    try {
      const before = fold(events)
      const decided = decider.decide(command, before)
      assertSound(decider, { command, before, events: decided, after: decided.reduce(decider.evolve, before) })
      return decided
    } catch (error) {
      if (error instanceof Rejection) return error
      throw error
    }
  }

  return (...given: readonly E[]) => ({
    when: (command: C) => ({
      /** Expects exactly these events, and no events when the command is repeated. */
      decides(...expected: readonly E[]) {
        expect(decided(command, given)).toStrictEqual(expected)
        const again = decided(command, [...given, ...expected])
        expect(again instanceof Rejection ? [] : again).toStrictEqual([])
      },
      decidesNothing() {
        expect(decided(command, given)).toStrictEqual([])
      },
      rejects(code: string) {
        const outcome = decided(command, given)
        expect(outcome instanceof Rejection ? outcome.code : outcome).toBe(code)
      },
    }),
  })
}
