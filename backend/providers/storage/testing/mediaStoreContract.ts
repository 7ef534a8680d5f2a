import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListedStore } from '#backend/kernel/media/mediaStore.port.ts'

/** Tests that every media store must pass. */
export function mediaStoreContract(name: string, open: () => Promise<ListedStore>): void {
  describe(`${name} as a media store`, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-media-contract-'))
    const bytes = randomBytes(3 * 1024 * 1024)
    const key = 'videos/0190.mp4'
    let media: ListedStore
    const fileOf = async (content: Buffer | string) => {
      const file = path.join(folder, 'finished')
      await writeFile(file, content)
      return file
    }
    beforeAll(async () => {
      media = await open()
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('reports no size and cannot read a file that was never stored', async () => {
      expect(await media.size(key)).toBe(undefined)
      await expect(buffer(media.read(key))).rejects.toThrow()
      await media.remove(key)
    })

    it('moves a file in and reads it back unchanged', async () => {
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
    ])('reads bytes %i to %i inclusive', async (start, end) => {
      expect((await buffer(media.read(key, { start, end }))).equals(bytes.subarray(start, end + 1))).toBe(true)
    })

    it('destroys a stream that its reader leaves', async () => {
      const stream = media.read(key)
      for await (const _ of stream) break
      expect(stream.destroyed).toBe(true)
    })

    it('returns a local path, also for concurrent calls', async () => {
      const [one, two] = await Promise.all([media.localPath(key), media.localPath(key)])
      expect(one).toBe(two)
      expect((await readFile(one)).equals(bytes)).toBe(true)
    })

    it('replaces a file', async () => {
      await media.put('posters/0190.jpg', await fileOf('first'))
      await media.put('posters/0190.jpg', await fileOf('second'))
      expect(String(await buffer(media.read('posters/0190.jpg')))).toBe('second')
    })

    it('keeps the existing file when a new one cannot be stored', async () => {
      await expect(media.put('posters/0190.jpg', path.join(folder, 'nothing'))).rejects.toThrow()
      expect(await media.size('posters/0190.jpg')).toBe(6)
    })

    it('lists the files below a folder with their sizes', async () => {
      const names = Array.from({ length: 45 }, (_, n) => `${n}.age`)
      for (const name of names) await media.put(`listed/objects/${name}`, await fileOf('four'))
      const found = await Array.fromAsync(media.list('listed/objects/'))
      expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
        names.map((name) => ({ key: `listed/objects/${name}`, size: 4 })).sort((a, b) => (a.key < b.key ? -1 : 1)),
      )
      expect(await Array.fromAsync(media.list('nothing/'))).toEqual([])
    })

    it('removes a file, and accepts that it does not exist', async () => {
      await media.remove(key)
      await media.remove(key)
      expect(await media.size(key)).toBe(undefined)
    })

    it.each(['../outside.mp4', 'videos/../../outside.mp4', '..'])(
      'rejects a key that leaves the store: %s',
      async (hostile) => {
        await expect((async () => media.localPath(hostile))()).rejects.toThrow('leaves its')
      },
    )
  })
}
