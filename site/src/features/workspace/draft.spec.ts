import { beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetDrafts } from '../../api/draft.ts'
import { $session } from '../../api/session.ts'
import { storageDouble } from '../../api/testing/storageDouble.ts'
import { keepDraft } from './draft.ts'
import { setPrompt } from './generation.ts'

const kept = new Map<string, string>()
const drafts = () => [...kept.keys()].filter((key) => key.startsWith('kinora.draft.'))
let page: EventTarget
const leave = () => page.dispatchEvent(new Event('pagehide'))

beforeEach(() => {
  kept.clear()
  page = new EventTarget()
  vi.stubGlobal('localStorage', storageDouble(kept))
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  $session.set({ status: 'in', user: { id: '1' } as never })
  keepDraft('1')
  setPrompt(`a fox ${Math.random()}`)
})

describe('the unsent form', () => {
  it('is stored when the page is left', () => {
    leave()
    expect(drafts()).toEqual(['kinora.draft.1'])
  })

  it('keeps its images if the page is left before they are shown', () => {
    vi.stubGlobal(
      'Image',
      class {
        decode = () => new Promise(() => {})
      },
    )
    leave()
    const images = { image: '/media/first.jpg', lastImage: '/media/last.jpg', references: ['/media/reference.jpg'] }
    kept.set('kinora.draft.1', JSON.stringify({ ...JSON.parse(kept.get('kinora.draft.1')!), ...images }))
    keepDraft('1')
    leave()
    expect(JSON.parse(kept.get('kinora.draft.1')!)).toMatchObject(images)
  })

  it('is not stored again while a sign-out waits for the server', () => {
    leave()
    forgetDrafts()
    leave()
    expect(drafts()).toEqual([])
  })

  it('is not stored again after a sign-out in another tab', () => {
    const key = 'kinora.draft.forgotten'
    page.dispatchEvent(Object.assign(new Event('storage'), { key, newValue: '1' }))
    leave()
    expect(drafts()).toEqual([])
  })

  it('tells other tabs of a sign-out', () => {
    const set = vi.spyOn(localStorage, 'setItem')
    forgetDrafts()
    expect(set).toHaveBeenCalledWith('kinora.draft.forgotten', '1')
    expect(drafts()).toEqual([])
  })
})
