import path from 'node:path'
import { film, MEDIA, type Shot, STILL, takeStill, writePicture } from './shoot.ts'

/** A picture for each feature, of another place and hour than the hero. */
const SHOTS: Readonly<Record<string, Shot>> = {
  text: { prompt: 'A snow mountain at night with aurora', seed: 22 },
  image: { prompt: 'Hot air balloons over a meadow of flowers at dawn', seed: 12 },
  camera: { prompt: 'A planet in space with a nebula', seed: 41 },
}
const FRAME = { width: 1280, height: 800, seconds: 6 }

export async function renderFeatures(): Promise<void> {
  for (const [name, shot] of Object.entries(SHOTS))
    await writePicture(takeStill(film(shot, STILL, FRAME), 0.4, FRAME), path.join(MEDIA, `features/${name}.avif`), 14)
}
