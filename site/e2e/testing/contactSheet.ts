import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'

const GAP = 12
const LABEL = 24

export interface Shot {
  readonly name: string
  /** PNG of the viewport. */
  readonly png: Buffer
}

/**
 * Writes screenshots as one picture, in rows that are about 2,000 pixels wide, into the folder that `KINORA_PICTURES`
 * names. Without it, does nothing.
 */
export async function writeContactSheet(name: string, shots: readonly Shot[]): Promise<void> {
  const folder = process.env.KINORA_PICTURES
  if (!folder || shots.length === 0) return
  const images = await Promise.all(shots.map(({ png }) => loadImage(png)))
  const width = Math.min(480, images[0]!.width)
  const height = Math.round((width * images[0]!.height) / images[0]!.width)
  const columns = Math.max(1, Math.floor(2_000 / (width + GAP)))
  const rows = Math.ceil(images.length / columns)
  const sheet = createCanvas(columns * (width + GAP) + GAP, rows * (height + LABEL + GAP) + GAP)
  const draw = sheet.getContext('2d')
  draw.fillStyle = '#fff'
  draw.fillRect(0, 0, sheet.width, sheet.height)
  draw.fillStyle = '#000'
  draw.font = '16px sans-serif'
  images.forEach((image, index) => {
    const x = GAP + (index % columns) * (width + GAP)
    const y = GAP + Math.floor(index / columns) * (height + LABEL + GAP)
    draw.fillText(shots[index]!.name, x, y + LABEL - 8)
    draw.drawImage(image, x, y + LABEL, width, height)
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${name}.png`), sheet.toBuffer('image/png'))
}
