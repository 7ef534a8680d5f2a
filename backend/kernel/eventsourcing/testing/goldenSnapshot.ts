import { expect } from 'vitest'
import type { Decider, Event } from '../pure/decider.ts'
import { canonicalJson, textHash } from '../pure/eventHash.ts'

/**
 * Returns the snapshot version of a decider, and a digest of its state after each event of a history. Compare it with a
 * literal: if the digest changes, stored snapshots are wrong, so raise `snapshotVersion` together with the literal.
 */
export function goldenSnapshot<S, C, E extends Event>(decider: Decider<S, C, E>, history: readonly E[]) {
  const { initial, evolve, schemas, snapshotVersion: version } = decider
  expect(new Set(history.map(({ type }) => type))).toEqual(new Set(Object.keys(schemas)))
  let state = initial
  const states = history.map((event) => {
    state = evolve(state, event)
    expect(JSON.parse(JSON.stringify(state))).toEqual(state)
    return state
  })
  return { version, digest: textHash(canonicalJson(states)) }
}
