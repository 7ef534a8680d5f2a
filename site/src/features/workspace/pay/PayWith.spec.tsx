import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, it } from 'vitest'
import { $credits } from '../../../api/credits.ts'
import { $teams } from '../../../api/teams.ts'
import { PayWith } from './PayWith.tsx'

beforeEach(() => {
  $credits.set(null)
  return () => {
    $credits.set(null)
    $teams.set(null)
  }
})

it('the choice who pays shows no figure for a balance that is not known', () => {
  $teams.set({ teams: [], can_create: true })
  expect(renderToStaticMarkup(<PayWith />)).not.toContain('0 left')
  $credits.set({ remaining: 0, total: 60, tier: 'free' })
  expect(renderToStaticMarkup(<PayWith />)).toContain('0 left')
})
