import path from 'node:path'
import type { Camera } from '#renderer/view.ts'
import { dissolving } from './dissolve.ts'
import { FPS, film, MEDIA, type Shot, takeStill, writeClip, writePicture } from './shoot.ts'

export const HERO: Shot = { prompt: 'A hiker looks at a mountain lake at sunset', seed: 21 }

const LOOP_SECONDS = 6
const SECONDS = LOOP_SECONDS + 1
const CLIP = { width: 960, height: 540, seconds: SECONDS }
const POSTER_WIDTHS = [640, 960, 1440]
const POSTER_KILOBYTES = 40

/** Moves the camera slowly along a closed loop. */
function stroll(progress: number): Camera {
  const angle = (2 * Math.PI * progress * SECONDS) / LOOP_SECONDS
  return {
    truck: 0.1 * Math.sin(angle),
    pedestal: 0.012 * Math.sin(angle + 1),
    dolly: 0.1 * (1 - Math.cos(angle)),
    pan: 0.018 * Math.sin(angle),
    tilt: 0,
    zoom: 1.02,
    roll: 0,
  }
}

/** Renders the hero: a looping clip, and its first frame as a poster in each width. */
export async function renderHero(): Promise<void> {
  for (const width of POSTER_WIDTHS) {
    const frame = { width: 2 * width, height: (2 * width * 9) / 16, seconds: SECONDS }
    const still = takeStill(await film(HERO, stroll, frame), LOOP_SECONDS / SECONDS, frame)
    await writePicture(still, path.join(MEDIA, `hero/poster-${width}.avif`), POSTER_KILOBYTES)
    if (width === 960) await writePicture(still, path.join(MEDIA, `hero/poster-${width}.webp`), POSTER_KILOBYTES)
  }
  const clip = { out: path.join(MEDIA, 'hero/loop.mp4'), ...CLIP, frames: FPS * LOOP_SECONDS, crf: 27 }
  await writeClip(clip, dissolving(await film(HERO, stroll, CLIP), CLIP, LOOP_SECONDS))
}
