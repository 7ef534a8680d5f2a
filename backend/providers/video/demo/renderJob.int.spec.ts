import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePoster } from '#backend/kernel/media/poster.ts'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { FULL, SLACK } from '#backend/testing/fullRun.ts'
import { type RenderJob, renderInChild } from './renderJob.ts'

/** Length of the film at full size. Users' films are six seconds or longer. */
const SECONDS = FULL ? 6 : 2
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kinora-render-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const jobFor = (name: string, changes: Partial<RenderJob> = {}): RenderJob => ({
  ...{ prompt: 'a mountain lake at sunset', seed: 7, movements: ['推进'], resolution: '512P', duration: 6 },
  out: join(folder, `${name}.mp4`),
  ...changes,
})

async function firstFrameOf({ out }: RenderJob, width: number): Promise<Buffer> {
  const still = `${out}.jpg`
  await makePoster(out, still, { at: 0, width })
  return readFile(still)
}

const filesOf = (name: string) => readdirSync(folder).filter((file) => file.startsWith(name))

describe('renderInChild', () => {
  it(`renders ${SECONDS} s at 768P`, async () => {
    const progress: number[] = []
    const job = jobFor('whole', { resolution: '768P', duration: SECONDS })
    const frames: Uint8Array[] = []
    const { cpuMs, ...result } = await renderInChild(job, {
      onProgress: (percent) => progress.push(percent),
      onFrame: (jpeg) => frames.push(jpeg),
    })
    console.log(`768P, ${SECONDS} s: ${(cpuMs / 1000).toFixed(1)} s of CPU`)
    expect(cpuMs).toBeGreaterThan(150 * SECONDS)
    expect(cpuMs).toBeLessThan(15_000 * SLACK)
    expect(result).toEqual({ width: 1366, height: 768, duration: SECONDS, frames: 24 * SECONDS })
    expect(await probeMp4(job.out)).toMatchObject({ ...result, fps: 24, codec: 'avc1', faststart: true })
    const still = await loadImage(await firstFrameOf(job, 1366))
    expect([still.width, still.height]).toEqual([1366, 768])
    expect(progress.at(-1)).toBe(100)
    const shown = await Promise.all(frames.map((jpeg) => loadImage(Buffer.from(jpeg))))
    expect(shown.map(({ width, height }) => [width, height])).toEqual(Array(8).fill([480, 270]))
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b))
    expect(filesOf('whole').sort()).toEqual(['whole.mp4', 'whole.mp4.jpg'])
  })

  it('animates a picture in its aspect ratio, starting with the picture itself', async () => {
    const canvas = createCanvas(600, 800)
    const context = canvas.getContext('2d')
    const gradient = context.createLinearGradient(0, 0, 0, 800)
    gradient.addColorStop(0, '#204080')
    gradient.addColorStop(1, '#e0a060')
    context.fillStyle = gradient
    context.fillRect(0, 0, 600, 800)
    const imagePath = join(folder, 'first.jpg')
    await writeFile(imagePath, canvas.toBuffer('image/jpeg'))
    const job = jobFor('photo', { imagePath, movements: ['固定'], duration: 1 })
    expect(await renderInChild(job)).toMatchObject({ width: 512, height: 682, frames: 24 })
    expect(await probeMp4(job.out)).toMatchObject({ width: 512, height: 682, frames: 24 })
    const poster = await loadImage(await firstFrameOf(job, 512))
    const pixels = createCanvas(512, 682).getContext('2d')
    pixels.drawImage(poster, 0, 0)
    for (const share of [0.2, 0.5, 0.8]) {
      const [red] = pixels.getImageData(256, Math.round(682 * share), 1, 1).data
      expect(Math.abs(red! - (0x20 + (0xe0 - 0x20) * share))).toBeLessThan(14)
    }
  })

  it('stops when cancelled and leaves no files', async () => {
    const stop = new AbortController()
    const reason = new Error('no longer wanted')
    const onProgress = (percent: number) => percent >= 3 && stop.abort(reason)
    await expect(renderInChild(jobFor('cancelled'), { signal: stop.signal, onProgress })).rejects.toBe(reason)
    expect(filesOf('cancelled')).toEqual([])
  })

  it('stops after its timeout and leaves no files', async () => {
    await expect(renderInChild(jobFor('slow'), { timeoutMs: 1500 })).rejects.toThrow(/longer than 1500 ms/)
    expect(filesOf('slow')).toEqual([])
  })

  it('reports the cause of a failure', async () => {
    const missing = jobFor('missing', { imagePath: join(folder, 'nowhere.jpg') })
    await expect(renderInChild(missing)).rejects.toThrow(/nowhere\.jpg/)
    const nowhere = jobFor('nowhere', { out: join(folder, 'no', 'such', 'folder.mp4') })
    await expect(renderInChild(nowhere)).rejects.toThrow(/No such file or directory/)
  })

  it.runIf(process.platform === 'linux')('ends its child and its encoder when the parent is killed', async () => {
    const parent = startParent(jobFor('orphan', { duration: 10, resolution: '1080P' }))
    await expect.poll(() => filesOf('orphan').length).toBeGreaterThan(0)
    const family = descendantsOf(parent.pid!)
    expect(family.length).toBeGreaterThanOrEqual(2)
    parent.kill('SIGKILL')
    await expect.poll(() => family.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
    expect(filesOf('orphan')).toEqual([])
  })
})

/** Starts a process that renders, for the test to kill. */
function startParent(job: RenderJob): ChildProcess {
  const module = fileURLToPath(new URL('./renderJob.ts', import.meta.url))
  const program = `import(${JSON.stringify(module)}).then(({ renderInChild }) => renderInChild(${JSON.stringify(job)}))`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })
}

function descendantsOf(pid: number): number[] {
  const ps = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = ps.map(Number).filter((candidate) => parentOf(candidate) === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
