import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { videoKey, watermarkedKey } from '#backend/kernel/media/mediaStore.port.ts'
import { createFolderMediaStore } from '#backend/providers/storage/folderMediaStore.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { createVideoCopies } from './videoCopies.ts'

const TASK = '0198c2a0-0000-7000-8000-000000000002'
const MAKER = { engine: 'demo', engine_model: 'Kinora demo' }
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-copies-'))
const media = createFolderMediaStore(path.join(folder, 'media'))
beforeEach(async () => {
  const original = path.join(folder, 'original.mp4')
  copyFileSync(await makeTinyVideo(), original)
  await media.put(videoKey(TASK), original)
})
afterAll(() => rmSync(folder, { recursive: true }))

const markPosterCopy = async () => {}
const copyOf = (markCopy: () => Promise<void>) =>
  createVideoCopies({ media, marker: { markCopy, markPosterCopy }, temporaryDir: folder, ffmpegPath: undefined }).film(
    { id: TASK, user_id: 'owner', ...MAKER },
    { watermark: true, label: false },
  )
const deleteVideo = () => media.remove(videoKey(TASK))

describe('a copy of a video that is deleted while it is made', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('ENOENT'))],
    ['succeeds', () => Promise.resolve()],
  ])('is not found and not kept when marking %s', async (_, mark) => {
    const copying = copyOf(async () => {
      await deleteVideo()
      await mark()
    })
    await expect(copying).rejects.toMatchObject({ code: 'not_found' })
    expect(await media.size(watermarkedKey(TASK))).toBeUndefined()
  })
})

describe('a copy of a stored video', () => {
  it('reports an error of marking as it is', async () => {
    await expect(copyOf(() => Promise.reject(new Error('no signature')))).rejects.toThrow('no signature')
  })
})

describe('copies of many videos', () => {
  it('are made two at a time, and their owners take turns', async () => {
    const videos = Array.from({ length: 6 }, (_, n) => ({
      id: `${TASK}${n}`,
      user_id: n < 5 ? 'ada' : 'wei',
      ...MAKER,
    }))
    for (const { id } of videos) {
      const original = path.join(folder, 'original.mp4')
      copyFileSync(await makeTinyVideo(), original)
      await media.put(videoKey(id), original)
    }
    let [asked, making, most] = [0, 0, 0]
    const begun: string[] = []
    const size = async (key: string) => {
      const found = await media.size(key)
      asked += 1
      return found
    }
    const localPath = async (key: string) => {
      begun.push(key)
      most = Math.max(most, ++making)
      // The first copies take until all calls wait for a place.
      await expect.poll(() => asked).toBeGreaterThanOrEqual(videos.length)
      return media.localPath(key)
    }
    const markCopy = async () => {
      making--
    }
    const files = { ...media, size, localPath }
    const deps = { media: files, marker: { markCopy, markPosterCopy }, temporaryDir: folder, ffmpegPath: undefined }
    const { film } = createVideoCopies(deps)
    await Promise.all(videos.map((video) => film(video, { watermark: true, label: false })))
    expect(most).toBe(2)
    expect(begun.indexOf(videoKey(videos[5]!.id))).toBeLessThan(4)
  })
})
