import { describe, expect, it } from 'vitest'
import { chainStart, derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { chainHeads } from './chainHead.ts'

const stream = 'creditAccount-user'
const at = '2026-01-10T00:00:00.000Z'
const event = (revision: number, previousHash: string, type = 'CreditsCaptured') => ({
  stream,
  revision,
  id: derivedId('event', revision),
  type,
  data: { userId: 'user', holdId: 't', at },
  meta: { actor: 'system', previousHash },
})
const first = event(0, chainStart(stream))
const second = event(1, eventHash(first))
const row = ({ revision, id }: typeof first, hash: string) => [
  { id: derivedId('chain', stream), stream, revision, event_id: id, hash },
]

describe("a chain's head", () => {
  it('is the last event of its stream and its hash, for every event type', () => {
    expect(rowsOf(chainHeads, first)).toEqual(row(first, eventHash(first)))
    expect(rowsOf(chainHeads, first, second)).toEqual(row(second, eventHash(second)))
    for (const type of Object.keys(chainHeads.on)) {
      const other = event(1, eventHash(first), type)
      expect(rowsOf(chainHeads, first, other)).toEqual(row(other, eventHash(other)))
    }
  })
  it('ignores an event that does not continue the chain', () => {
    expect(rowsOf(chainHeads, first, event(1, 'another hash'))).toEqual(row(first, eventHash(first)))
    expect(rowsOf(chainHeads, first, event(2, eventHash(first)))).toEqual(row(first, eventHash(first)))
    expect(rowsOf(chainHeads, second)).toEqual([])
  })
  it('ignores an event without a hash', () => {
    const unchained = { ...second, meta: { actor: 'system' } }
    expect(rowsOf(chainHeads, first, unchained as never)).toEqual(row(first, eventHash(first)))
  })
})
