import { beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetDrafts } from '../../api/draft.ts'
import { $session } from '../../api/session.ts'
import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { storageDouble } from '../../api/testing/storageDouble.ts'
import { keepDraft } from './draft.ts'
import { $generation, setPrompt } from './generation.ts'
import { startVideo } from './startVideo.ts'
import { $stage } from './workspace.ts'

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
    setPrompt('a heron')
    leave()
    expect(JSON.parse(kept.get('kinora.draft.1')!)).toMatchObject(images)
  })

  it('is not replaced by that of an older tab in which nothing has changed since', () => {
    leave()
    const newer = JSON.stringify({ prompt: 'written in another tab' })
    kept.set('kinora.draft.1', newer)
    leave()
    expect(kept.get('kinora.draft.1')).toBe(newer)
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

describe('a prompt of the landing page that a link was mailed with', () => {
  it('fills the form after another sign-in, and is not ordered again', async () => {
    const paths: string[] = []
    vi.stubGlobal('document', { documentElement: { lang: 'en', dataset: {} }, getElementById: () => null })
    vi.stubGlobal('location', { search: '?draft=1', pathname: '/workspace' })
    vi.stubGlobal('history', { state: null, replaceState: () => {} })
    vi.stubGlobal('fetch', async (path: string) => {
      paths.push(path)
      return Response.json({ draft: null })
    })
    writeLocalStart({ prompt: 'a heron', mailed: true })
    $stage.set('open')
    await startVideo()
    expect($generation.get().prompt).toBe('a heron')
    expect(paths).toEqual(['/api/v1/auth/start/draft'])
    expect(readLocalStart()).toBeNull()
  })
})
