import { createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas'
import type { Icon } from '../reading/lexicon.ts'
import { type Habit, type Puppet, wave } from './puppet.ts'

const PIXELS = 512
const HABITS: Readonly<Record<string, Habit>> = {
  underwater: 'sea',
  ocean: 'surface',
  sky: 'air',
  table: 'table',
  hill: 'backdrop',
}
const SIZES: Readonly<Record<string, number>> = {
  table: 0.26,
  underwater: 0.2,
  sky: 0.2,
  hill: 0.42,
  road: 0.22,
  stage: 0.3,
}

/** Cuts a figure out of an icon, and dyes it if the prompt names a colour. It has no joints, so it hops, leans and sways as a whole. */
export async function iconFigure({ body, size, home, flips }: Icon, colour?: string): Promise<Puppet> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${PIXELS}" height="${PIXELS}" viewBox="0 0 ${size} ${size}">${body}</svg>`
  const image = await loadImage(Buffer.from(svg))
  const canvas = createCanvas(PIXELS, PIXELS)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0, PIXELS, PIXELS)
  if (colour) dye(context, colour, image)
  const { left, top, right, bottom } = inkBox(context.getImageData(0, 0, PIXELS, PIXELS).data)
  const [wide, high] = [right - left + 2, bottom - top + 2]
  const half = wide / high / 2
  const habit = HABITS[home] ?? 'ground'
  const isCentred = habit === 'sea' || habit === 'air'
  return {
    ...{
      habit,
      size: SIZES[home] ?? 0.22,
      box: [-half - 0.25, isCentred ? -0.75 : -1.25, half + 0.25, isCentred ? 0.75 : 0.1],
    },
    pace: (verb) => ({ run: 0.8, walk: 0.3, drive: 0.9, fly: 0.6, swim: 0.3, sail: 0.15 })[verb] ?? 0,
    paint(pen, { seconds, verb }) {
      const beat = wave(seconds * (verb === 'run' ? 1.5 : verb === 'walk' || verb === 'dance' ? 0.9 : 0.3))
      const hop = ['run', 'walk', 'jump', 'dance'].includes(verb) ? Math.abs(beat) : 0
      pen.translate(0, -0.08 * hop)
      pen.transform(
        flips ? -1 : 1,
        0,
        habit === 'table' ? 0 : -0.02 * beat,
        1 - 0.02 * (1 - hop) * Math.abs(beat),
        0,
        0,
      )
      if (verb === 'fly') pen.scale(1, 0.9 + 0.1 * wave(seconds * 1.5))
      pen.imageSmoothingQuality = 'high'
      pen.drawImage(canvas, left, top, wide, high, -half, isCentred ? -0.5 : -1, half * 2, 1)
    },
  }
}

/** Gives a picture the hue of a colour. Black and white have none, so they darken or lighten it. */
function dye(context: SKRSContext2D, colour: string, image: Image): void {
  const isGrey = ['#34313e', '#f5f3ee', '#8d929c'].includes(colour)
  for (const [blend, alpha] of [
    ['color', 1],
    [colour === '#f5f3ee' ? 'screen' : 'multiply', isGrey ? 0.75 : 0.35],
  ] as const) {
    context.globalCompositeOperation = blend
    context.globalAlpha = alpha
    context.fillStyle = colour
    context.fillRect(0, 0, PIXELS, PIXELS)
  }
  context.globalAlpha = 1
  context.globalCompositeOperation = 'destination-in'
  context.drawImage(image, 0, 0, PIXELS, PIXELS)
}

function inkBox(data: Uint8ClampedArray) {
  const box = { left: PIXELS, top: PIXELS, right: 0, bottom: 0 }
  for (let y = 0; y < PIXELS; y += 2) {
    for (let x = 0; x < PIXELS; x += 2) {
      if (data[(y * PIXELS + x) * 4 + 3]! < 40) continue
      box.left = Math.min(box.left, x)
      box.right = Math.max(box.right, x)
      box.top = Math.min(box.top, y)
      box.bottom = Math.max(box.bottom, y)
    }
  }
  return box
}
