import { expect, it } from 'vitest'
import { describeFilm } from './film.ts'

const describe = (prompt: string | null) =>
  describeFilm(
    { prompt, camera_movements: [], engine: 'demo', engine_model: 'Kinora demo' } as never,
    'en',
    ((key: string) => key) as never,
  )
const titleOf = (prompt: string) => describe(prompt).title

it('the title of a shared film is cut between words, and never inside a character', () => {
  expect(titleOf('A cat on a hill')).toBe('A cat on a hill')
  expect(titleOf('word '.repeat(30))).toBe(`${'word '.repeat(18).trim()}…`)
  expect(titleOf('🎬'.repeat(100))).toBe(`${'🎬'.repeat(45)}…`)
})

it('the title of a shared film names its language, which may differ from the page’s', () => {
  expect(['A cat', '一只猫', null].map((prompt) => describe(prompt).language)).toEqual(['en', 'zh-CN', undefined])
})
