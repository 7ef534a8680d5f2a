import path from 'node:path'
import { film, MEDIA, type Shot, STILL, takeStill, writePicture } from './shoot.ts'

/** Each picture with its size in pixels and its maximum file size. */
const PICTURES: readonly (Shot & Readonly<{ name: string; width: number; height: number; kilobytes: number }>)[] = [
  { name: 'text', prompt: 'A snow mountain at night with aurora', seed: 22, width: 640, height: 400, kilobytes: 13 },
  {
    name: 'image',
    prompt: 'Hot air balloons over a meadow of flowers at dawn',
    seed: 12,
    ...{ width: 640, height: 400, kilobytes: 13 },
  },
  { name: 'quality', prompt: 'A planet in space with a nebula', seed: 41, width: 640, height: 400, kilobytes: 13 },
  { name: 'closing', prompt: 'A sailboat on the ocean at sunset', seed: 24, width: 1200, height: 480, kilobytes: 14 },
  { name: 'auth', prompt: 'A mountain lake at sunset with birds', seed: 23, width: 720, height: 960, kilobytes: 22 },
]

export async function renderFeatures(): Promise<void> {
  for (const { name, width, height, kilobytes, ...shot } of PICTURES) {
    const frame = { width: 2 * width, height: 2 * height, seconds: 6 }
    await writePicture(
      takeStill(film(shot, STILL, frame), 0.4, frame),
      path.join(MEDIA, `features/${name}.avif`),
      kilobytes,
    )
  }
}
