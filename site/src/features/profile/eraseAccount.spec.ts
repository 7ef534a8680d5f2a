import { describe, expect, it, vi } from 'vitest'
import { storageDouble } from '../../api/testing/storageDouble.ts'
import { eraseAccount } from './profile.ts'

describe('the deletion of an account', () => {
  it('removes the unsent forms from this browser', async () => {
    const kept = new Map([
      ['kinora.draft.1', '{"prompt":"a secret"}'],
      ['kinora.draft.start', '{"prompt":"another"}'],
      ['language', 'en'],
    ])
    vi.stubGlobal('localStorage', storageDouble(kept))
    vi.stubGlobal('document', { documentElement: { lang: 'en', dataset: {} } })
    vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
    expect(await eraseAccount({ password: 'p' })).toBe('erased')
    expect([...kept.keys()]).toEqual(['language'])
  })
})
