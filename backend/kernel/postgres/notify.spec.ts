import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { changesOf, payloadsOf } from './notify.ts'

it('sends many rows in several changes of at most 100, and a change without rows too', () => {
  const ids = Array.from({ length: 250 }, () => randomUUID())
  const payloads = JSON.parse(
    payloadsOf([
      { name: 'many', ids },
      { name: 'none', ids: [] },
    ]),
  ) as string[]
  const changes = payloads.flatMap(changesOf)
  expect(changes.map((change) => [change.name, change.ids.length])).toEqual([
    ['many', 100],
    ['many', 100],
    ['many', 50],
    ['none', 0],
  ])
  expect(changes.flatMap((change) => change.ids)).toEqual(ids)
})

it('sends the changes of a commit in one payload, and in more where PostgreSQL would refuse it', () => {
  const change = (name: string, rows: number) => ({ name, ids: Array.from({ length: rows }, () => randomUUID()) })
  const few = Array.from({ length: 13 }, (_, n) => change(`model ${n}`, 2))
  const payloads = JSON.parse(payloadsOf(few)) as string[]
  expect(payloads.map(changesOf)).toEqual([few])

  const many = Array.from({ length: 13 }, (_, n) => change(`模型 ${n}`, 100))
  const parts = JSON.parse(payloadsOf(many)) as string[]
  expect(parts.flatMap(changesOf)).toEqual(many)
  expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThan(8_000)
  expect(parts).toHaveLength(7)
})

it('sends a single change as releases before this one read it', () => {
  expect(JSON.parse(payloadsOf([{ name: 'one', ids: ['a'] }]))).toEqual(['{"name":"one","ids":["a"]}'])
})
