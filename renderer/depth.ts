import { createCanvas, type Image } from '@napi-rs/canvas'
import { type DepthMap, depthOf } from '../backend/tasks/camera/contract.ts'

/** Estimates the depth of an image at two points per cell of a mesh. */
export function guessDepth(image: Image, columns: number, rows: number): DepthMap {
  const [width, height] = [columns * 2, rows * 2]
  const context = createCanvas(width, height).getContext('2d')
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, width, height)
  return depthOf(context.getImageData(0, 0, width, height).data, width, height)
}
