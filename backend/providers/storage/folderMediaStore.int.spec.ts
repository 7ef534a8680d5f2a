import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createFolderMediaStore } from './folderMediaStore.ts'
import { mediaStoreContract } from './testing/mediaStoreContract.ts'

const root = mkdtempSync(path.join(os.tmpdir(), 'kinora-media-'))
const media = createFolderMediaStore(root)
const key = 'videos/a.mp4'
const SIZE = 64 * 1024 * 1024
/** Another file system: a file is copied from there, not renamed. */
const elsewhere = ['/dev/shm', '/var/tmp'].find((each) => existsSync(each) && statSync(each).dev !== statSync(root).dev)

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Returns the sizes that are visible while a file is stored. */
async function sizesWhilePutting(file: string): Promise<Set<number | undefined>> {
  const seen = new Set<number | undefined>()
  let putting = true
  const done = media.put(key, file).finally(() => {
    putting = false
  })
  while (putting) seen.add(await media.size(key))
  await done
  return seen.add(await media.size(key))
}

mediaStoreContract('a folder', async () => createFolderMediaStore(path.join(root, 'contract')))

describe('media in a folder', () => {
  const condition = elsewhere ? '' : ' (no second file system)'
  it.skipIf(!elsewhere)(`moves a file from another disk, and never shows a part of it${condition}`, async () => {
    const file = path.join(elsewhere!, `kinora-media-${process.pid}`)
    writeFileSync(file, Buffer.alloc(SIZE, 1))
    try {
      expect(await sizesWhilePutting(file)).toEqual(new Set([undefined, SIZE]))
      expect(existsSync(file)).toBe(false)
    } finally {
      rmSync(file, { force: true })
    }
    expect(readdirSync(path.join(root, 'videos'))).toEqual(['a.mp4'])
  })

  it('does not list the folder that ext4 keeps at the root of a disk', async () => {
    const disk = path.join(root, 'disk')
    mkdirSync(path.join(disk, 'lost+found'), { recursive: true })
    for (const name of ['lost+found/#12', 'own']) writeFileSync(path.join(disk, name), 'four')
    expect(await Array.fromAsync(createFolderMediaStore(disk).list(''))).toEqual([{ key: 'own', size: 4 }])
  })

  it('keeps the existing file and leaves no temporary one when a file cannot be stored', async () => {
    const first = path.join(root, 'first')
    writeFileSync(first, 'whole')
    await media.put('videos/b.mp4', first)
    await expect(media.put('videos/b.mp4', path.join(root, 'nothing'))).rejects.toThrow('ENOENT')
    expect(await media.size('videos/b.mp4')).toBe(5)
    expect(readdirSync(path.join(root, 'videos')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('syncs a file, and then the folders with new entries that lead to it', async () => {
    const handle = await open(root)
    const synced: number[] = []
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async function (this: unknown) {
      synced.push((await (this as FileHandle).stat()).ino)
    })
    await handle.close()
    const file = path.join(root, 'second')
    for (const name of ['c.png', 'd.png']) {
      writeFileSync(file, 'whole')
      await media.put(`new/folder/${name}`, file)
    }
    sync.mockRestore()
    const names = ['new/folder/c.png', 'new/folder', 'new', '', 'new/folder/d.png', 'new/folder']
    expect(synced).toEqual(names.map((name) => statSync(path.join(root, name)).ino))
  })
})
