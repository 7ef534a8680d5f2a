import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { createMarker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import { createSigner, type Signer } from '#backend/kernel/media/marks/signInThread.ts'
import { judge, VALID } from '#backend/kernel/media/marks/testing/readMarks.ts'
import { posterKey, videoKey } from '#backend/kernel/media/mediaStore.port.ts'
import { probeMp4, UnplayableVideoError } from '#backend/kernel/media/probeMp4.ts'
import { sha256OfFile } from '#backend/kernel/media/sha256.ts'
import { createFolderMediaStore } from '#backend/providers/storage/folderMediaStore.ts'
import type { VideoFile } from '#backend/tasks/events.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { fetchVideo } from './fetchVideo.ts'
import { Finishing } from './rendering.ts'

let folder: string
let signer: Signer
let fragmented: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-fetch-'))
  const { certificates, key } = await issueCredential(Date.now())
  signer = createSigner(async () => parseCredential(certificates, key))
  fragmented = path.join(folder, 'fragmented.mp4')
  const pieces = ['-movflags', '+empty_moov+default_base_moof', '-frag_duration', '200000', '-f', 'mp4', fragmented]
  await runFfmpeg(['-i', await makeTinyVideo(), '-c', 'copy', ...pieces])
})
afterAll(async () => {
  await signer.close()
  await rm(folder, { recursive: true })
})

const media = () => createFolderMediaStore(path.join(folder, 'media'))

function deliver(file: string, taskId: string, whileFetching = async () => {}, ratio?: string) {
  const marker = createMarker(signer, 'Kinora', undefined, { warn: () => {} })
  const provider = {
    async fetch(_: string, target: string) {
      await copyFile(file, target)
      await whileFetching()
    },
  }
  const deps = { media: media(), marker, temporaryDir: folder, ffmpegPath: undefined, finishing: new Finishing() }
  return fetchVideo(
    deps,
    provider,
    { taskId, origin: { source: 'algorithmicMedia', agent: null }, jobId: taskId, ratio },
    new AbortController().signal,
  )
}

it('stores a fragmented video as a marked one with an index, without encoding it', async () => {
  expect(await deliver(fragmented, 'task')).toMatchObject({ durationMs: 1000, width: 128, height: 72 })
  const stored = await media().localPath(videoKey('task'))
  const { size: _, ...expected } = await probeMp4(await makeTinyVideo())
  expect(await probeMp4(stored)).toMatchObject(expected)
  expect(await judge(await readFile(stored), 'video/mp4')).toMatchObject(VALID)
  expect(await media().size(posterKey('task'))).toBeGreaterThan(0)
})

it.each([
  ['9:16', 40, 72],
  ['1:1', 72, 72],
  ['16:9', 128, 72],
])('cuts a video to %s before it is marked', async (ratio, width, height) => {
  expect(await deliver(fragmented, `cut to ${ratio}`, undefined, ratio)).toMatchObject({ width, height })
  const stored = await media().localPath(videoKey(`cut to ${ratio}`))
  expect(await judge(await readFile(stored), 'video/mp4')).toMatchObject(VALID)
})

it('keeps the video that another worker stored during the download', async () => {
  const video = await makeTinyVideo()
  let first: VideoFile | undefined
  const second = await deliver(video, 'twice', async () => {
    first = await deliver(video, 'twice')
  })
  expect(second).toEqual(first)
  expect(await sha256OfFile(await media().localPath(videoKey('twice')))).toBe(second.sha256)
})

it.each([0.3, 0.6, 0.999])('refuses a fragmented video cut at %d of its bytes', async (share) => {
  const whole = await readFile(fragmented)
  const cut = path.join(folder, 'cut.mp4')
  await writeFile(cut, whole.subarray(0, Math.floor(whole.length * share)))
  await expect(deliver(cut, 'cut')).rejects.toThrow(UnplayableVideoError)
})

it('refuses a fragmented video with sound only', async () => {
  const silent = path.join(folder, 'sound.mp4')
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac', '-movflags', '+empty_moov+frag_keyframe']
  await runFfmpeg([...sound, '-f', 'mp4', silent])
  await expect(deliver(silent, 'sound')).rejects.toThrow(UnplayableVideoError)
})
