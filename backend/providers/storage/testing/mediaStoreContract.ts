import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MediaStore } from '#backend/kernel/media/mediaStore.port.ts'

/** What holds for every store of media. */
export function mediaStoreContract(name: string, open: () => Promise<MediaStore>): void {
  describe(`${name}, as a store of media`, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-media-contract-'))
    const bytes = randomBytes(3 * 1024 * 1024)
    const key = 'videos/0190.mp4'
    let media: MediaStore
    const fileOf = async (content: Buffer | string) => {
      const file = path.join(folder, 'finished')
      await writeFile(file, content)
      return file
    }
    beforeAll(async () => {
      media = await open()
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('knows nothing of a file that was never put', async () => {
      expect(await media.size(key)).toBe(undefined)
      await expect(buffer(media.read(key))).rejects.toThrow()
      await media.remove(key)
    })

    it('takes a file over, and gives it back byte for byte', async () => {
      const file = await fileOf(bytes)
      await media.put(key, file)
      expect([existsSync(file), await media.size(key)]).toEqual([false, bytes.length])
      expect((await buffer(media.read(key))).equals(bytes)).toBe(true)
    })

    it.each([
      [0, 0],
      [0, 99],
      [1_000_000, 2_000_000],
      [bytes.length - 1, bytes.length - 1],
    ])('gives the bytes from %i to %i, both included', async (start, end) => {
      expect((await buffer(media.read(key, { start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true)
    })

    it('may be read no further than somebody cares to', async () => {
      const stream = media.read(key)
      for await (const _ of stream) break
      expect(stream.destroyed).toBe(true)
    })

    it('lies on this machine for the programs that need a file, also twice at once', async () => {
      const [one, two] = await Promise.all([media.localPath(key), media.localPath(key)])
      expect(one).toBe(two)
      expect((await readFile(one)).equals(bytes)).toBe(true)
    })

    it('replaces a file as a whole', async () => {
      await media.put('posters/0190.jpg', await fileOf('first'))
      await media.put('posters/0190.jpg', await fileOf('second'))
      expect(String(await buffer(media.read('posters/0190.jpg')))).toBe('second')
    })

    it('keeps what stood there when a file cannot be taken', async () => {
      await expect(media.put('posters/0190.jpg', path.join(folder, 'nothing'))).rejects.toThrow()
      expect(await media.size('posters/0190.jpg')).toBe(6)
    })

    it('removes a file, and one that is not there', async () => {
      await media.remove(key)
      await media.remove(key)
      expect(await media.size(key)).toBe(undefined)
    })

    it.each(['../outside.mp4', 'videos/../../outside.mp4', '..'])('never leaves its place: %s', async (hostile) => {
      await expect((async () => media.localPath(hostile))()).rejects.toThrow('leaves its')
    })
  })
}
