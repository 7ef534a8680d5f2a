import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'
import { createS3MediaStore } from './s3MediaStore.ts'
import { mediaStoreContract } from './testing/mediaStoreContract.ts'
import { type S3Double, startS3Double } from './testing/s3Double.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-s3-'))
const copies = path.join(folder, 'copies')
let double: S3Double
let media: ListedStore
beforeAll(async () => {
  double = await startS3Double()
  media = createS3MediaStore(double.access, copies)
})
afterAll(async () => {
  await double.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  double.fault = () => undefined
  double.calls.length = 0
})

mediaStoreContract('a bucket (a double of S3)', async () => media)

describe('media in a bucket', () => {
  const put = async (key: string, content: string) => {
    const file = path.join(folder, 'finished')
    await writeFile(file, content)
    await media.put(key, file)
  }
  const once = (fault: ReturnType<S3Double['fault']>) => {
    let left = 1
    double.fault = () => (left-- > 0 ? fault : undefined)
  }

  it.each([{ status: 500 }, { status: 503 }, { status: 429 }, 'reset'] as const)('retries after %j', async (fault) => {
    once(fault)
    await put('videos/a.mp4', 'whole')
    once(fault)
    expect(await media.size('videos/a.mp4')).toBe(5)
    once(fault)
    expect(String(await buffer(media.read('videos/a.mp4')))).toBe('whole')
    expect(double.calls).toHaveLength(6)
  })

  it('reports a refused request without the secret', async () => {
    const other = createS3MediaStore({ ...double.access, secretAccessKey: 'wrong' }, copies)
    await expect(other.size('videos/a.mp4')).rejects.toThrow('The bucket refused HEAD videos/a.mp4: HTTP 403')
    expect(double.calls).toHaveLength(1)
    const nobody = createS3MediaStore({ ...double.access, accessKeyId: 'AKIAOTHER' }, copies)
    await expect(nobody.remove('videos/a.mp4')).rejects.toThrow('HTTP 403')
  })

  it('rejects a truncated response', async () => {
    await put('videos/b.mp4', 'x'.repeat(100_000))
    double.fault = () => ({ cutAt: 1_000 })
    await expect(buffer(media.read('videos/b.mp4'))).rejects.toThrow()
    await expect(media.localPath('videos/b.mp4')).rejects.toThrow()
    double.fault = () => undefined
    expect((await readFile(await media.localPath('videos/b.mp4'))).length).toBe(100_000)
    expect(readdirSync(copies).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('removes a local copy 15 minutes after its last use', async () => {
    await put('images/c.jpg', 'picture')
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const own = createS3MediaStore(double.access, path.join(folder, 'own copies'))
    const copy = await own.localPath('images/c.jpg')
    const calls = double.calls.length
    expect([await own.localPath('images/c.jpg'), double.calls.length]).toEqual([copy, calls])
    const old = new Date(Date.now() - 16 * 60_000)
    await utimes(copy, old, old)
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    await expect.poll(() => existsSync(copy)).toBe(false)
  })

  it('leaves no local copy of a file that is removed during its download', async () => {
    const key = 'videos/d.mp4'
    await put(key, 'film')
    const { fetch } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...request) => {
      const response = await fetch(...request)
      await media.remove(key)
      return response
    })
    await expect(media.localPath(key)).rejects.toThrow('removed during its download')
    expect(readdirSync(copies)).not.toContain(encodeURIComponent(key))
  })
})
