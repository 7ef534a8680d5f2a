import { describe, expect, it } from 'vitest'
import { encodeEvents } from './encodeEvents.ts'

const id = '0198c2a4-0000-7000-8000-00000000000a'
const encode = (data: object, stream = 'account-1') => encodeEvents(stream, [{ id, type: 'Opened', data }])

describe('encodeEvents', () => {
  it('encodes data and metadata as JSON texts', () => {
    expect(encode({ a: [1] })).toMatchObject([{ id, type: 'Opened', data: '{"a":[1]}', meta: '{}' }])
  })

  it('distinguishes an escape from text that looks like one', () => {
    expect(encode({ text: '\\u0000 \\\\ud83c 🎬' })).toHaveLength(1)
    expect(() => encode({ text: '\\\u0000' })).toThrow(TypeError)
    expect(() => encode({ '\udc00': 1 })).toThrow(TypeError)
  })

  it('rejects stream and type names reserved by the store', () => {
    expect(() => encode({}, '$settings')).toThrow(TypeError)
    expect(() => encode({}, '')).toThrow(TypeError)
    expect(() => encodeEvents('account-1', [{ id, type: '$metadata', data: {} }])).toThrow(TypeError)
  })

  it('rejects duplicate ids in one append', () => {
    const twice = [id, id.toUpperCase()].map((each) => ({ id: each, type: 'Opened', data: {} }))
    expect(() => encodeEvents('account-1', twice)).toThrow(TypeError)
  })

  it('rejects data that is not a JSON object', () => {
    const circle: { self?: object } = {}
    circle.self = circle
    for (const data of [{ n: 1n }, circle, [], new Date(0), undefined as never, null as never]) {
      expect(() => encode(data)).toThrow(TypeError)
    }
  })
})
