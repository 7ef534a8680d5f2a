import { describe, expect, it } from 'vitest'
import { castOf, placeOf } from './cast.ts'
import { readPrompt } from './reading/readPrompt.ts'

async function cast(prompt: string) {
  const reading = readPrompt(prompt)
  return { place: placeOf(reading), actors: await castOf(reading, placeOf(reading), 7) }
}

describe('castOf', () => {
  it.each(['An old fisherman in a small boat on a calm lake', 'A man in a boat'])(
    'seats a person in a boat: %s',
    async (prompt) => {
      const { place, actors } = await cast(prompt)
      expect(place).toBe('mountain')
      expect(actors.map(({ slot, verb, puppet }) => [slot, verb, puppet.habit])).toEqual([
        ['surface', 'sail', 'surface'],
      ])
    },
  )

  it('keeps several figures apart that are under a tree', async () => {
    const { actors } = await cast('两个女孩在樱花树下野餐')
    const [first, second] = actors.filter(({ puppet }) => puppet.habit === 'ground')
    expect(Math.abs(first!.x - second!.x)).toBeGreaterThan(0.1)
  })

  it('gives every seed the same figures in the same places of the scene', async () => {
    const reading = readPrompt('Five ducklings crossing a road behind a tractor')
    const parts = await Promise.all(
      [1, 2].map(async (seed) => (await castOf(reading, 'road', seed)).map(({ slot, verb }) => [slot, verb])),
    )
    expect(parts[0]).toHaveLength(6)
    expect(parts[1]).toEqual(parts[0])
  })
})
