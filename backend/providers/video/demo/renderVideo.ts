import { readFile } from 'node:fs/promises'
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas'
import { inspectImage } from '#backend/kernel/media/firstFrame.ts'
import { FrameEncoder } from '#backend/kernel/media/frameEncoder.ts'
import { describe } from './description.ts'
import { buildPhoto } from './photo.ts'
import { placeOf } from './reading/placeOf.ts'
import { readPrompt } from './reading/readPrompt.ts'
import type { RenderJob, RenderOptions } from './renderJob.ts'
import { buildScene, type DrawFrame } from './scene.ts'

const FRAMES_PER_SECOND = 24
/** Frames shown while the video renders. */
const LIVE_FRAMES = 8
/** Longer side of a live frame, in pixels. */
const LIVE_SIZE = 480

type RenderProgress = Readonly<Required<Pick<RenderOptions, 'onProgress' | 'onFrame'>> & { signal: AbortSignal }>

/** Renders and encodes the frames of a job in this process. */
export async function renderVideo(job: RenderJob, { signal, onProgress, onFrame }: RenderProgress) {
  const { width, height, draw } = await prepare(job)
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d', { alpha: false })
  const frames = Math.round(FRAMES_PER_SECOND * job.duration)
  const { out, ffmpegPath } = job
  const encoder = await FrameEncoder.open({ out, width, height, fps: FRAMES_PER_SECOND, signal, ffmpegPath })
  try {
    let written: Promise<void> = Promise.resolve()
    for (let frame = 0; frame < frames; frame++) {
      signal.throwIfAborted()
      draw(context, frame / (frames - 1))
      const pixels = canvas.data()
      await written
      written = encoder.write(pixels)
      written.catch(() => {})
      if (frame % Math.ceil(frames / LIVE_FRAMES) === 0) onFrame(liveFrame(canvas))
      onProgress(Math.floor((100 * (frame + 1)) / frames))
      // Yield to the event loop, so that messages from the parent, such as a cancellation, are received.
      await new Promise(setImmediate)
    }
    await written
    await encoder.finish()
  } catch (error) {
    await encoder.abort()
    throw error
  }
  return { width, height, duration: job.duration, frames }
}

/** Returns a small JPEG of the canvas. */
function liveFrame(canvas: Canvas): Uint8Array {
  const scale = LIVE_SIZE / Math.max(canvas.width, canvas.height)
  const small = createCanvas(Math.round(canvas.width * scale), Math.round(canvas.height * scale))
  small.getContext('2d').drawImage(canvas, 0, 0, small.width, small.height)
  return small.toBuffer('image/jpeg', 70)
}

async function prepare(job: RenderJob): Promise<{ width: number; height: number; draw: DrawFrame }> {
  const { prompt, imagePath, movements, resolution, duration: seconds, seed } = job
  const reading = readPrompt(prompt)
  if (imagePath) {
    const file = await readFile(imagePath)
    inspectImage(file)
    const image = await loadImage(file)
    const size = outputSize(resolution, image.width / image.height)
    return {
      ...size,
      draw: buildPhoto(image, describe(reading, placeOf(reading), seed), movements, { ...size, seconds }),
    }
  }
  const size = outputSize(resolution)
  return { ...size, draw: await buildScene({ reading, seed, movements }, { ...size, seconds }) }
}

/**
 * Returns the size of a video in pixels. The resolution sets the shorter side, and the aspect ratio, limited to 0.4 to
 * 2.5, sets the longer side. Both are even, as the encoder requires.
 */
export function outputSize(resolution: string, aspect = 16 / 9): { width: number; height: number } {
  const short = Number.parseInt(resolution, 10)
  const bounded = Math.min(2.5, Math.max(0.4, aspect))
  const even = (pixels: number) => 2 * Math.round(pixels / 2)
  return bounded >= 1
    ? { width: even(short * bounded), height: short }
    : { width: short, height: even(short / bounded) }
}
