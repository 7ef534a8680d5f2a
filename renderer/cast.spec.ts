import { describe, expect, it } from 'vitest'
import { castOf } from './cast.ts'
import { placeOf } from './reading/placeOf.ts'
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

  it.each([1, 7, 23, 41])('lets neighbours in the air fly at different heights (seed %i)', async (seed) => {
    const reading = readPrompt('A mountain lake at sunset with birds')
    const lifts = (await castOf(reading, placeOf(reading), seed)).map(({ lift }) => lift)
    expect(lifts.length).toBeGreaterThan(2)
    for (const [n, lift] of lifts.slice(1).entries()) expect(Math.abs(lift - lifts[n]!)).toBeGreaterThanOrEqual(0.08)
  })

  it.each([
    ['A chef cooking in a kitchen', 'room', ['ground']],
    ['A grandmother by the fireplace', 'room', ['ground', 'backdrop']],
    ['A grandmother makes dumplings in the kitchen', 'room', ['ground', 'table']],
    ['A bowl of ramen in a kitchen', 'table', ['table']],
    ['A cat on a windowsill', 'table', ['table']],
  ])('puts people into a room, and food on a table: %s', async (prompt, place, slots) => {
    const scene = await cast(prompt)
    expect([scene.place, scene.actors.map(({ slot }) => slot)]).toEqual([place, slots])
  })

  it('lets an animal swim with its legs under water', async () => {
    const [dog] = (await cast('A dog swimming in a lake')).actors
    expect([dog!.slot, dog!.lift > 0, dog!.puppet.box[3] < 0]).toEqual(['surface', true, true])
  })

  it('makes food and balls small beside an animal', async () => {
    const { actors } = await cast('A hedgehog beside an apple')
    const [hedgehog, apple] = actors.map(({ puppet, scale }) => puppet.size * scale)
    expect(apple!).toBeLessThan(hedgehog! * 1.3)
  })

  it('gives every seed the same figures in the same places of the scene', async () => {
    const reading = readPrompt('Five ducklings crossing a road behind a tractor')
    const parts = await Promise.all(
      [1, 2].map(async (seed) => (await castOf(reading, 'road', seed)).map(({ slot, verb }) => [slot, verb])),
    )
    expect(parts[0]).toHaveLength(6)
    expect(parts[1]).toEqual(parts[0])
  })

  it.each([
    [
      'A man proposes to a woman',
      [
        ['kneel', 1],
        ['stand', -1],
      ],
    ],
    [
      'A girl hugs a boy',
      [
        ['hug', 1],
        ['hug', -1],
      ],
    ],
    [
      'Two cats hug',
      [
        ['stand', 1],
        ['stand', -1],
      ],
    ],
    [
      'A fox chases a rabbit',
      [
        ['run', 1],
        ['run', 1],
      ],
    ],
    [
      'A boy watches a bird',
      [
        ['stand', 1],
        ['fly', -1],
      ],
    ],
  ])(
    'puts two who do something with each other face to face, and a hunter behind its prey: %s',
    async (prompt, poses) => {
      const { actors } = await cast(prompt)
      const ordered = actors.toSorted((a, b) => a.x - b.x)
      const isMirrored = ordered[0]!.verb !== poses[0]![0] || (poses[0]![1] === poses[1]![1] && ordered[0]!.side === -1)
      const seen = (isMirrored ? ordered.toReversed() : ordered).map(({ verb, side }) => [
        verb,
        isMirrored ? -side : side,
      ])
      expect(seen).toEqual(poses)
    },
  )

  it('puts what is caught at hand', async () => {
    const [bear, salmon] = (await cast('A bear catches a salmon in a river')).actors
    expect(salmon).toMatchObject({ slot: bear!.slot })
    expect(salmon!.lift).toBeLessThan(0)
  })
})
