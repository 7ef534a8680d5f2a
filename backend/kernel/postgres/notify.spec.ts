import { expect, it } from 'vitest'
import type { Change } from './changes.ts'
import { payloadsOf } from './notify.ts'

it('sends the rows of a change in payloads of at most 100, and a change without rows too', () => {
  const ids = Array.from({ length: 250 }, (_, n) => `row ${n}`)
  const payloads = JSON.parse(
    payloadsOf([
      { name: 'many', ids },
      { name: 'none', ids: [] },
    ]),
  ) as string[]
  const changes = payloads.map((payload) => JSON.parse(payload) as Change)
  expect(changes.map((change) => [change.name, change.ids.length])).toEqual([
    ['many', 100],
    ['many', 100],
    ['many', 50],
    ['none', 0],
  ])
  expect(changes.flatMap((change) => change.ids)).toEqual(ids)
})
