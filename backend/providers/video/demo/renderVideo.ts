import { readFile } from 'node:fs/promises'
import { createCanvas } from '@napi-rs/canvas'
import { inspectImage } from '#backend/kernel/media/firstFrame.ts'
import { FrameEncoder } from '#backend/kernel/media/frameEncoder.ts'
import { liveFrame, openFilm } from '#renderer/film.ts'
import type { RenderJob, RenderOptions } from './renderJob.ts'

const FRAMES_PER_SECOND = 24
/** Frames shown while the video renders. */
const LIVE_FRAMES = 8

type RenderProgress = Readonly<Required<Pick<RenderOptions, 'onProgress' | 'onFrame'>> & { signal: AbortSignal }>

/** Renders and encodes the frames of a job in this process. */
export async function renderVideo(job: RenderJob, { signal, onProgress, onFrame }: RenderProgress) {
  const { width, height, draw } = await openFilm({ ...job, picture: await readPicture(job.imagePath) })
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

async function readPicture(file: string | undefined): Promise<Buffer | undefined> {
  if (!file) return undefined
  const picture = await readFile(file)
  inspectImage(picture)
  return picture
}
