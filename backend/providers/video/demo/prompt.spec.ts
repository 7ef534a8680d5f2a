import { describe, expect, it } from 'vitest'
import { BIOMES, parsePrompt } from './prompt.ts'

describe('parsePrompt', () => {
  it.each([
    ['A quiet alpine lake at dawn', { biome: 'mountain', time: 'dawn' }],
    ['清晨的高山湖泊，薄雾', { biome: 'mountain', time: 'dawn', weather: ['fog'] }],
    ['Waves on a beach, golden hour, a sailboat', { biome: 'ocean', time: 'sunset', subject: 'boat' }],
    ['夕阳下的大海和帆船', { biome: 'ocean', time: 'sunset', subject: 'boat' }],
    [
      'A cat in a neon street on a rainy night',
      { biome: 'city', time: 'night', subject: 'cat', weather: ['rain'], neon: true },
    ],
    [
      '霓虹灯下的赛博朋克城市，雨夜，一只猫',
      { biome: 'city', time: 'night', subject: 'cat', weather: ['rain'], neon: true },
    ],
    ['Puppies play in a flower field at noon', { biome: 'field', time: 'day', subject: 'dog' }],
    ['阳光下的草原，一只小狗', { biome: 'field', time: 'day', subject: 'dog' }],
    [
      'Snowy winter forest with fireflies at midnight',
      { biome: 'forest', time: 'night', weather: ['snow', 'fireflies'] },
    ],
    ['冬夜的森林，飘雪', { biome: 'forest', time: 'night', weather: ['snow'] }],
    ['An astronaut drifts past a ringed planet', { biome: 'space', subject: 'person' }],
    ['宇航员漂浮在星云中', { biome: 'space', subject: 'person' }],
    ['Sahara dunes at sunset', { biome: 'desert', time: 'sunset' }],
    ['黄昏的沙漠，骆驼', { biome: 'desert', time: 'sunset' }],
    ['Northern lights over the mountains', { biome: 'mountain', time: 'night', aurora: true }],
    ['雪山上的极光', { biome: 'mountain', time: 'night', aurora: true, weather: ['snow'] }],
    ['Cherry blossom petals in the garden', { biome: 'field', weather: ['petals'] }],
    ['樱花飘落的花园', { biome: 'field', weather: ['petals'] }],
    ['Hot air balloons at sunrise', { biome: 'field', time: 'dawn', subject: 'balloon' }],
    ['热气球在日出时升起', { biome: 'field', time: 'dawn', subject: 'balloon' }],
    ['Seagulls above the harbour', { biome: 'ocean', subject: 'birds', birds: true }],
  ])('understands "%s"', (prompt, expected) => {
    expect(parsePrompt(prompt)).toMatchObject(expected)
  })

  it('chooses the place that is mentioned first', () => {
    expect(parsePrompt('a city by the sea').biome).toBe('city')
    expect(parsePrompt('the sea before a city').biome).toBe('ocean')
    expect(parsePrompt('森林里的湖').biome).toBe('forest')
    expect(parsePrompt('湖边的森林').biome).toBe('mountain')
  })

  it('does not find words within words', () => {
    expect(parsePrompt('a vacation in the desert').subject).toBeUndefined()
    expect(parsePrompt('a spaceship').biome).toBe('space')
    expect(parsePrompt('a train in the city').weather).toEqual([])
  })

  it('draws what the prompt leaves open from its text, always the same', () => {
    const vague = Array.from({ length: 60 }, (_, i) => `something beautiful ${i}`)
    expect(vague.map((prompt) => parsePrompt(prompt))).toEqual(vague.map((prompt) => parsePrompt(prompt)))
    const biomes = new Set(vague.map((prompt) => parsePrompt(prompt).biome))
    expect(biomes.size).toBeGreaterThan(3)
    for (const biome of biomes) expect(BIOMES).toContain(biome)
  })

  it('uses the given seed instead of the text', () => {
    expect(parsePrompt('a lake', 7).seed).toBe(7)
    expect(parsePrompt('a lake').seed).not.toBe(parsePrompt('a lake!').seed)
    expect(parsePrompt('  A Lake ').seed).toBe(parsePrompt('a lake').seed)
  })

  it('accepts an empty prompt and a very long one', () => {
    expect(BIOMES).toContain(parsePrompt('').biome)
    expect(parsePrompt(`${'字'.repeat(1990)}沙漠`).biome).toBe('desert')
  })
})
