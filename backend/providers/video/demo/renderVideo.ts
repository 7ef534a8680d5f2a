import { readFile, writeFile } from 'node:fs/promises'
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas'
import { writeAtomically } from '#backend/kernel/media/atomicFile.ts'
import { inspectImage } from '#backend/kernel/media/firstFrame.ts'
import { FrameEncoder } from '#backend/kernel/media/frameEncoder.ts'
import { createCameraPath } from './camera.ts'
import type { RenderJob, RenderResult } from './job.ts'
import { outputSize } from './outputSize.ts'
import { buildPhoto } from './photo.ts'
import { parsePrompt } from './prompt.ts'
import { buildScene, type DrawFrame } from './scene.ts'

export const FRAMES_PER_SECOND = 24

const POSTER_QUALITY = 84

export type RenderProgress = Readonly<{
  signal: AbortSignal
  /** Percent, 0 to 100, never going down. */
  onProgress: (percent: number) => void
}>

/** Draws a job's frames in this process and encodes them. */
export async function renderVideo(
  job: RenderJob,
  { signal, onProgress }: RenderProgress,
): Promise<Omit<RenderResult, 'cpuMs'>> {
  const { width, height, draw } = await prepare(job)
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  const frames = Math.round(FRAMES_PER_SECOND * job.duration)
  // A first frame is its own best poster; a scene has moved into place after a third.
  const posterFrame = job.mode === 'image' ? 0 : Math.round(frames * 0.35)
  const { out, ffmpegPath } = job
  const encoder = await FrameEncoder.open({ out, width, height, fps: FRAMES_PER_SECOND, signal, ffmpegPath })
  try {
    let taken: Promise<void> = Promise.resolve()
    for (let frame = 0; frame < frames; frame++) {
      signal.throwIfAborted()
      draw(context, frame / (frames - 1))
      const pixels = canvas.data()
      await taken
      taken = encoder.write(pixels)
      taken.catch(() => {})
      if (job.posterOut && frame === posterFrame) await writePoster(canvas, job.posterOut)
      onProgress(Math.floor((100 * (frame + 1)) / frames))
      // Messages, and with them the wish to stop, are only read between turns.
      await new Promise(setImmediate)
    }
    await taken
    await encoder.finish()
  } catch (error) {
    await encoder.abort()
    throw error
  }
  return { width, height, duration: job.duration, frames }
}

async function prepare(job: RenderJob): Promise<{ width: number; height: number; draw: DrawFrame }> {
  const description = parsePrompt(job.prompt, job.seed)
  const seconds = job.duration
  if (job.mode === 'image') {
    if (!job.imagePath) throw new Error('A job that starts from an image needs imagePath')
    const file = await readFile(job.imagePath)
    inspectImage(file)
    const image = await loadImage(file)
    const size = outputSize(job.resolution, image.width / image.height)
    return { ...size, draw: buildPhoto(image, description, job.movements, { ...size, seconds }) }
  }
  const size = outputSize(job.resolution)
  const options = { duration: seconds, aspect: size.width / size.height, seed: description.seed }
  const path = createCameraPath(job.movements, options)
  return { ...size, draw: buildScene(description, path, { ...size, seconds }) }
}

async function writePoster(canvas: Canvas, out: string): Promise<void> {
  const image = out.endsWith('.webp')
    ? await canvas.encode('webp', POSTER_QUALITY)
    : await canvas.encode('jpeg', POSTER_QUALITY)
  await writeAtomically(out, (part) => writeFile(part, image))
}
