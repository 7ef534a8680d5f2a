import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas'
import { PUBLIC } from './shoot.ts'

const mark: Image = await loadImage(await readFile(path.join(PUBLIC, 'favicon.svg')))

/** Draws the brand mark into a square, without the padding of the favicon. */
export function drawMark(context: SKRSContext2D, { x, y, size }: { x: number; y: number; size: number }): void {
  const scale = size / 26
  context.drawImage(mark, x - 3 * scale, y - 3 * scale, 32 * scale, 32 * scale)
}

/** Icons of the web app. Platforms crop maskable icons, so these have a larger inset. */
const ICONS = [
  { name: 'icon-192.png', size: 192, inset: 0, ground: undefined },
  { name: 'icon-512.png', size: 512, inset: 0, ground: undefined },
  { name: 'icon-maskable-512.png', size: 512, inset: 0.2, ground: '#0d0b0a' },
  { name: 'apple-touch-icon.png', size: 180, inset: 0.14, ground: '#0d0b0a' },
] as const

export async function renderIcons(): Promise<void> {
  for (const { name, size, inset, ground } of ICONS) {
    const canvas = createCanvas(size, size)
    const context = canvas.getContext('2d')
    if (ground) {
      context.fillStyle = ground
      context.fillRect(0, 0, size, size)
    }
    drawMark(context, { x: inset * size, y: inset * size, size: size * (1 - 2 * inset) })
    await writeFile(path.join(PUBLIC, name), await canvas.encode('png'))
  }
}
