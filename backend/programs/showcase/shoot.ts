import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { readPrompt } from '#renderer/reading/readPrompt.ts'
import { buildScene, type DrawFrame, type Frame } from '#renderer/scene.ts'
import type { CameraPath } from '#renderer/view.ts'
import { FrameEncoder } from '../../kernel/media/frameEncoder.ts'
import type { CameraMovement } from '../../tasks/catalogue/models.contract.ts'

export const ROOT = path.resolve(import.meta.dirname, '../../..')
export const MEDIA = path.join(ROOT, 'site/src/media')
export const PUBLIC = path.join(ROOT, 'site/public')
export const FPS = 24

/** A prompt and a seed, which together determine the rendered scene, and camera movements if it has no path. */
export type Shot = Readonly<{ prompt: string; seed: number; movements?: readonly CameraMovement[] }>

export const STILL: CameraPath = () => ({ truck: 0, pedestal: 0, dolly: 0, pan: 0, tilt: 0, zoom: 1, roll: 0 })

export const film = ({ prompt, ...take }: Shot, path: CameraPath | undefined, frame: Frame): Promise<DrawFrame> =>
  buildScene({ reading: readPrompt(prompt), ...take, ...(path && { path }) }, frame)

/** Draws one frame and halves its size for antialiasing. */
export function takeStill(draw: DrawFrame, progress: number, { width, height }: Frame): Canvas {
  const large = createCanvas(width, height)
  draw(large.getContext('2d', { alpha: false }), progress)
  return halved(large)
}

export function halved(large: Canvas): Canvas {
  const canvas = createCanvas(large.width / 2, large.height / 2)
  const context = canvas.getContext('2d', { alpha: false })
  context.imageSmoothingQuality = 'high'
  context.drawImage(large, 0, 0, canvas.width, canvas.height)
  return canvas
}

export type Clip = Readonly<{ out: string; width: number; height: number; frames: number; crf: number }>

export async function writeClip({ frames, ...options }: Clip, frameAt: (frame: number) => Canvas): Promise<void> {
  const encoder = await FrameEncoder.open({ ...options, fps: FPS, preset: 'medium' })
  for (let frame = 0; frame < frames; frame++) await encoder.write(frameAt(frame).data())
  await encoder.finish()
}

/** Writes a picture in the format of its extension, at the best quality that fits `kilobytes`. @throws if none fits */
export async function writePicture(canvas: Canvas, out: string, kilobytes: number): Promise<void> {
  for (let quality = 84; quality >= 20; quality -= 4) {
    const bytes = await encode(canvas, out, quality)
    if (bytes.length <= kilobytes * 1024) return writeFile(out, bytes)
  }
  throw new Error(`${out} does not fit into ${kilobytes} kB`)
}

function encode(canvas: Canvas, out: string, quality: number): Promise<Buffer> {
  if (out.endsWith('.avif')) return canvas.encode('avif', { quality: quality - 20, speed: 2 })
  return out.endsWith('.webp') ? canvas.encode('webp', quality) : canvas.encode('jpeg', quality)
}
