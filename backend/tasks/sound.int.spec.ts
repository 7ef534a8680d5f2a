import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { h264Arguments, runFfmpeg } from '../kernel/media/ffmpeg.ts'
import { videoKey } from '../kernel/media/mediaStore.port.ts'
import { hasSound, probeMp4 } from '../kernel/media/probeMp4.ts'
import { DOUBLE_KEY, type MinimaxDouble, startMinimaxDouble } from '../providers/video/minimax/testing/minimaxDouble.ts'
import { sampled } from '../testing/sampled.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Task } from './contract.ts'

const SECONDS = 2
/** Samples per second in which sound is measured. */
const RATE = 8_000

let folder: string
let engine: MinimaxDouble
let kinora: TestKinora
let ada: TestUser
/** Files that the engine delivers: with a tone, and without a sound track. */
let heard: NonSharedBuffer
let silent: NonSharedBuffer

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kinora-sound-'))
  heard = await film(['-f', 'lavfi', '-i', `sine=f=440:r=44100:d=${SECONDS}`, '-c:a', 'aac'])
  silent = await film([])
  engine = await startMinimaxDouble()
  const env = { DEMO: 'off', MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: engine.url }
  kinora = await startTestKinora({ env })
})
// A new account has credits for two films.
beforeEach(async () => {
  ada = await kinora.newUser()
})
afterAll(async () => {
  await kinora?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

async function film(tone: readonly string[]): Promise<NonSharedBuffer> {
  const file = path.join(folder, 'film.mp4')
  const picture = ['-f', 'lavfi', '-i', `testsrc=size=320x180:rate=24:duration=${SECONDS}`]
  await runFfmpeg([...picture, ...tone, ...h264Arguments({ fps: 24, preset: 'ultrafast' }), file])
  return readFile(file)
}

async function finished(request: string, body: object): Promise<Task> {
  const answer = await ada.call('POST', request, body)
  expect(answer.status).toBe(202)
  const { task } = (await answer.json()) as { task: Task }
  return eventually(async () => {
    const read = (await (await ada.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    expect(read.status).toBe('Success')
    return read
  })
}
async function delivered(video: NonSharedBuffer, more: object = {}): Promise<Task> {
  engine.video = video
  return finished('/videos/generate', { ...GENERATION, ...more })
}
const fileOf = ({ id }: Task) => path.join(kinora.dataDir, 'media', videoKey(id))

/** Returns for each half second of a file's sound track whether it can be heard. */
async function heardIn(file: string): Promise<boolean[]> {
  const raw = path.join(folder, 'sound.raw')
  await runFfmpeg(['-i', file, '-map', '0:a:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le', raw])
  const bytes = await readFile(raw)
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  const halves = Math.round((samples.length * 2) / RATE)
  return Array.from({ length: halves }, (_, n) => {
    // Not the edges: encoders blur them.
    const middle = samples.subarray((n * RATE) / 2 + RATE / 8, ((n + 1) * RATE) / 2 - RATE / 8)
    return middle.some((sample) => Math.abs(sample) > 500)
  })
}
const TONE = Array(2 * SECONDS).fill(true)
const SILENCE = Array(2 * SECONDS).fill(false)

it('keeps the sound of an engine in the stored film and in the watermarked copy', async () => {
  const task = await delivered(heard)
  expect(await heardIn(fileOf(task))).toEqual(TONE)
  const copy = path.join(folder, 'copy.mp4')
  const answer = await ada.call('GET', `/videos/download/${task.id}`)
  await writeFile(copy, Buffer.from(await answer.arrayBuffer()))
  expect((await readFile(copy)).equals(await readFile(fileOf(task)))).toBe(false)
  expect(await heardIn(copy)).toEqual(TONE)
})

it.each(
  sampled([
    ['9:16', { width: 100, height: 180 }],
    ['1:1', { width: 180, height: 180 }],
  ] as const),
)('keeps it when the film is cut to %s', async (aspect_ratio, size) => {
  const task = await delivered(heard, { aspect_ratio })
  expect(await probeMp4(fileOf(task))).toMatchObject(size)
  expect(await heardIn(fileOf(task))).toEqual(TONE)
})

it('keeps it where it was in a film joined with a silent one', async () => {
  const [first, second] = [await delivered(heard), await delivered(silent)]
  expect(await hasSound(fileOf(second))).toBe(false)
  const clips = [second, first, second].map(({ id }) => ({ id }))
  const joined = await finished('/videos/join', { clips, title: 'Heard in the middle' })
  expect(await heardIn(fileOf(joined))).toEqual([...SILENCE, ...TONE, ...SILENCE])
  expect((await probeMp4(fileOf(joined))).duration).toBeCloseTo(3 * SECONDS)
})
