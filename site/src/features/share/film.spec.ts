import { expect, it } from 'vitest'
import { describeFilm } from './film.ts'

const titleOf = (prompt: string) =>
  describeFilm({ prompt, camera_movements: [], model_names: {} } as never, 'en', ((key: string) => key) as never).title

it('the title of a shared film is cut between words, and never inside a character', () => {
  expect(titleOf('A cat on a hill')).toBe('A cat on a hill')
  expect(titleOf('word '.repeat(30))).toBe(`${'word '.repeat(18).trim()}…`)
  expect(titleOf('🎬'.repeat(100))).toBe(`${'🎬'.repeat(45)}…`)
})
