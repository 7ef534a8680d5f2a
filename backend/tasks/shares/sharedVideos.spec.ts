import { beforeEach, describe, expect, it } from 'vitest'
import { createSharedVideos, type SharedVideosOptions } from './sharedVideos.ts'
import type { ShareRow } from './shares.ts'

const FILM = 'site/public/templates/fox.mp4'
const NAMES: Record<string, string> = { maker: 'Mei', payer: 'Olga' }

let row: { id: string; user_id: string; payer_id: string | null }
let stored: ShareRow | undefined
beforeEach(() => {
  row = { id: 'film', user_id: 'maker', payer_id: 'payer' }
  stored = undefined
})

const videos = createSharedVideos({
  shares: {
    find: async () => stored,
    share: async ({ video, showName }: { video: { user_id: string }; showName?: boolean }) => {
      const shown = { showPrompt: false, showName: showName ?? stored?.showName ?? false }
      stored = { id: 'page', taskId: 'film', userId: video.user_id, ...shown, width: 16, height: 9, views: 0 }
      return stored
    },
  },
  works: { readFinished: async () => row, readShared: async () => row, view: async () => ({}) },
  files: { media: { localPath: async () => FILM }, copies: { film: async () => FILM } },
  signatures: { sign: () => 'signature' },
  nameOf: async (userId: string) => NAMES[userId],
  removalOf: async () => undefined,
  publicUrl: () => 'https://kinora.test',
} as unknown as SharedVideosOptions)
/** Shares the film, and returns the name on its page. */
const nameAfter = async (userId: string, showName?: boolean) => {
  await videos.share(userId, 'film', { showName })
  return (await videos.view('page'))?.name
}

describe('the name on the page of a film that a team pays for', () => {
  it('is that of its maker, who chose to show it', async () => {
    expect(await nameAfter('maker', true)).toBe('Mei')
    expect(await nameAfter('maker', false)).toBeNull()
  })

  it('is not shown by who paid, who has the film once its maker left, but can be removed', async () => {
    expect(await nameAfter('payer', true)).toBeNull()
    expect(await nameAfter('maker', true)).toBe('Mei')
    expect(await nameAfter('payer', true)).toBe('Mei')
    expect(await nameAfter('payer', false)).toBeNull()
  })

  it('ends with the account of its maker, and the page with that of who paid', async () => {
    row = { ...row, user_id: 'erased' }
    expect(await nameAfter('erased', true)).toBeNull()
    row = { id: 'film', user_id: 'maker', payer_id: 'erased' }
    await videos.share('maker', 'film', { showName: true })
    expect(await videos.view('page')).toBeUndefined()
  })
})

it('the page of an own film shows the name of its maker', async () => {
  row = { ...row, payer_id: null }
  expect(await nameAfter('maker', true)).toBe('Mei')
})
