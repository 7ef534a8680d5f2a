import path from 'node:path'
import { film, MEDIA, type Shot, STILL, takeStill, writePicture } from './shoot.ts'

/** A picture to render, with its size in pixels and its maximum file size. */
type Picture = Shot & Readonly<{ name: string; width: number; height: number; kilobytes: number }>
const CARD = { width: 640, height: 400, kilobytes: 13 }
const PICTURES: readonly Picture[] = [
  { name: 'text', prompt: 'A snow mountain at night with aurora', seed: 22, ...CARD },
  { name: 'image', prompt: 'A red fox walks through a spring meadow at dawn', seed: 12, ...CARD },
  { name: 'quality', prompt: 'A nebula in outer space', seed: 41, ...CARD },
  { name: 'closing', prompt: 'A sailboat on the ocean at sunset', seed: 24, width: 1200, height: 480, kilobytes: 14 },
  { name: 'auth', prompt: 'A mountain lake at sunset with birds', seed: 23, width: 720, height: 960, kilobytes: 22 },
]

export async function renderFeatures(): Promise<void> {
  for (const { name, width, height, kilobytes, ...shot } of PICTURES) {
    const frame = { width: 2 * width, height: 2 * height, seconds: 6 }
    const still = takeStill(await film(shot, STILL, frame), 0.4, frame)
    await writePicture(still, path.join(MEDIA, `features/${name}.avif`), kilobytes)
  }
}
