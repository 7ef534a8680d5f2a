import { createCanvas, loadImage } from '@napi-rs/canvas'

/** Pixels of a picture, as RGBA. */
export type Still = Readonly<{ data: Uint8ClampedArray; width: number; height: number }>
export type Area = readonly [x: number, y: number, width: number, height: number]

/** Decodes a picture. @param image path or content */
export async function pixelsOf(image: string | Buffer): Promise<Still> {
  const picture = await loadImage(image)
  const context = createCanvas(picture.width, picture.height).getContext('2d')
  context.drawImage(picture, 0, 0)
  return context.getImageData(0, 0, picture.width, picture.height)
}

function* redsOf({ data, width }: Still, area: Area): Generator<number> {
  const [x, y, wide, high] = area
  for (let row = y; row < y + high; row++) {
    for (let column = x; column < x + wide; column++) yield data[(row * width + column) * 4]!
  }
}

export function meanOf(still: Still, area: Area): number {
  return redsOf(still, area).reduce((sum, red) => sum + red, 0) / (area[2] * area[3])
}

export function meanDifference(a: Still, b: Still, area: Area): number {
  const other = redsOf(b, area)
  return redsOf(a, area).reduce((sum, red) => sum + Math.abs(red - other.next().value!), 0) / (area[2] * area[3])
}
