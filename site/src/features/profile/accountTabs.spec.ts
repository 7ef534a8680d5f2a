import { describe, expect, it } from 'vitest'
import { movedPath } from './accountTabs.ts'

describe('an old address of the profile', () => {
  it.each([
    ['#billing', '/profile/billing#billing'],
    ['#credits', '/profile/credits#credits'],
    ['#password', '/profile/security#password'],
    ['#devices', '/profile/security#devices'],
    ['#delete-account', '/profile/settings#delete-account'],
  ])('with %s leads to the tab that has the section', (hash, path) => {
    expect(movedPath({ hash, search: '' })).toBe(path)
  })

  it('with a token leads to the deletion that it confirms', () => {
    expect(movedPath({ hash: '', search: '?token=a-b' })).toBe('/profile/settings?token=a-b')
  })

  it.each(['', '#subscription', '#works', '#stats', '#toString'])('with %j stays on the overview', (hash) => {
    expect(movedPath({ hash, search: '' })).toBeUndefined()
  })
})
