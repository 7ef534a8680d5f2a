import { describe, expect, it } from 'vitest'
import { canonicalJson, chainStart, derivedId, eventHash } from './eventHash.ts'

describe('canonicalJson', () => {
  it('sorts keys at every depth and keeps the order of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }, 2], a: { z: 'x', y: true } })).toBe(
      '{"a":{"y":true,"z":"x"},"b":[{"c":null,"d":1},2]}',
    )
  })
  it('sorts keys by UTF-16 code units, as RFC 8785 requires', () => {
    expect(canonicalJson({ '€': 1, '\r': 2, '😀': 3, '1': 4, ö: 5, '\ufb33': 6 })).toBe(
      '{"\\r":2,"1":4,"ö":5,"€":1,"😀":3,"\ufb33":6}',
    )
  })
  it('sorts integer keys and __proto__ like other keys', () => {
    const hostile = JSON.parse('{"b":[{"__proto__":1,"Z":{"10":1,"9":2,"a":3}}],"a":2}')
    expect(canonicalJson(hostile)).toBe('{"a":2,"b":[{"Z":{"10":1,"9":2,"a":3},"__proto__":1}]}')
  })
  it('returns the same text before and after a JSON round trip', () => {
    const value = { list: [undefined, -0, 1e21, 0.1], gone: undefined, text: '雨"\\\n' }
    expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))))
  })
})

describe('eventHash', () => {
  const event = {
    stream: 'creditAccount-1',
    revision: 3,
    id: derivedId('x'),
    type: 'CreditsHeld',
    data: { holdId: 't', parts: [{ lotId: 'a', amount: 30 }] },
    meta: { actor: 'system', previousHash: chainStart('creditAccount-1') },
  }
  it('does not depend on the order of keys', () => {
    const { stream, revision, id, type } = event
    const data = { parts: [{ amount: 30, lotId: 'a' }], holdId: 't' }
    const meta = { previousHash: chainStart('creditAccount-1'), actor: 'system' }
    expect(eventHash({ meta, data, type, id, revision, stream })).toBe(eventHash(event))
  })
  it.each([
    ['stream', { stream: 'creditAccount-2' }],
    ['revision', { revision: 4 }],
    ['id', { id: derivedId('y') }],
    ['type', { type: 'CreditsReleased' }],
    ['data', { data: { holdId: 't', parts: [{ lotId: 'a', amount: 31 }] } }],
    ['metadata', { meta: { actor: 'user:1', previousHash: event.meta.previousHash } }],
  ])('changes with its %s', (_, change) => {
    expect(eventHash({ ...event, ...change })).not.toBe(eventHash(event))
  })
})

describe('derivedId', () => {
  it('never changes, because stored events carry such ids', () => {
    expect([derivedId('hold', 1), derivedId('chain', 'creditAccount-雨'), derivedId()]).toEqual([
      '8a45dbfd-7882-8bb0-a2c2-475f002b645e',
      '4310cd4d-fd30-8c76-b12a-9bfa2c3d016e',
      '4f53cda1-8c2b-8a0c-8354-bb5f9a3ecbe5',
    ])
  })
  it('returns the same UUID (version 8) for the same parts', () => {
    expect(derivedId('hold', 1)).toBe(derivedId('hold', 1))
    expect(derivedId('hold', 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
  it('distinguishes parts whose concatenation is equal', () => {
    const ids = [derivedId('ab', 'c'), derivedId('a', 'bc'), derivedId('abc'), derivedId(1), derivedId('1')]
    expect(new Set(ids).size).toBe(5)
  })
})
