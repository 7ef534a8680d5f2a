import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { createCameraPath } from '../../tasks/camera/contract.ts'
import { CAMERA_MOVEMENT_VALUES, CAMERA_MOVEMENTS, type CameraMovement } from '../../tasks/catalogue/models.contract.ts'
import { FPS, film, halved, MEDIA, type Shot, writeClip, writePicture } from './shoot.ts'

/** A scene with objects at many depths, so that parallax distinguishes a truck from a pan. */
const SHOT: Shot = { prompt: 'A cat on a rooftop in a neon city at sunset', seed: 14 }
const FRAME = { width: 640, height: 360, seconds: 2.5 }
/** Pause at the end of each clip. Without it, the restart of the loop looks like a reverse movement. */
const REST_SECONDS = 0.4

/** Renders a clip and a still of the same scene for each of the 15 camera movements. */
export async function renderMovements(): Promise<void> {
  for (const value of CAMERA_MOVEMENT_VALUES) await renderMovement(value)
}

async function renderMovement(value: CameraMovement): Promise<void> {
  const { key } = CAMERA_MOVEMENTS[value]
  // Use the amplitude of a full-length video. A shake runs in real time, so it keeps the clip's duration.
  const duration = key === 'shake' ? FRAME.seconds : 6
  const whole = createCameraPath([value], { duration, aspect: 16 / 9, seed: SHOT.seed })
  const moving = key === 'shake' ? 1 : 1 - REST_SECONDS / FRAME.seconds
  const draw = await film(SHOT, (progress) => whole(Math.min(1, progress / moving)), FRAME)
  const large = createCanvas(FRAME.width, FRAME.height)
  const context = large.getContext('2d', { alpha: false })
  const frames = Math.round(FPS * FRAME.seconds)
  const frameAt = (frame: number) => {
    draw(context, frame / (frames - 1))
    return halved(large)
  }
  const out = (ending: string) => path.join(MEDIA, 'movements', `${key}.${ending}`)
  await writePicture(frameAt(0), out('webp'), 5)
  await writeClip({ out: out('mp4'), width: 320, height: 180, frames, crf: 31 }, frameAt)
}
