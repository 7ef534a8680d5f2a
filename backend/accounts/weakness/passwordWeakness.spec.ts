import { describe, expect, it } from 'vitest'
import { passwordWeakness } from './passwordWeakness.ts'

const owner = { email: 'ada.lovelace@kinora.test', username: 'Ada Lovelace' }

describe('a password', () => {
  it.each(['password1', 'PASSWORD123', '12345678', 'qwertyuiop', 'letmein123', 'ｐａｓｓｗｏｒｄ１'])(
    'that leaked often is rejected: %s',
    (password) => {
      expect(passwordWeakness(password, owner)).toBe('password_common')
    },
  )
  it.each([
    'kinora2026',
    'Kinora!!',
    'lovelace99',
    'AdaLovelace1',
    'ada.lovelace@kinora.test',
    'adaadaada',
    'kinorapassword1',
  ])('with words of its owner is rejected: %s', (password) => {
    expect(passwordWeakness(password, owner)).toBe('password_personal')
  })
  it.each(['aaaaaaaa', 'gggggggggggggggggggg', 'abcdefghijkl', 'cdefghijklm', 'abcabcabcabc', 'a'.repeat(256)])(
    'that repeats or follows a sequence is rejected: %s',
    (password) => {
      expect(passwordWeakness(password, owner)).toBe('password_guessable')
    },
  )
  it('with a Chinese name of its owner is rejected', () => {
    expect(passwordWeakness('王小明2026', { email: 'w@kinora.test', username: '王小明' })).toBe('password_personal')
  })
  it.each(['correct horse', 'a kinora of the seven seas', 'Ada likes 9 green hats', '灯塔下的第三只海鸥', 'x9!fKq2#'])(
    'that is long enough without such words is accepted: %s',
    (password) => {
      expect(passwordWeakness(password, owner)).toBeUndefined()
    },
  )
})
