/** Which part of an image a crop keeps. */
import type { CropEdges } from '#backend/kernel/media/contract.ts'
import type { Box } from '../../../../ui/pictures/toJpeg.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Place from 0 (left, top) to 1 (right, bottom), and magnification from 1. */
export interface Crop {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

export const CENTRED: Crop = { x: 0.5, y: 0.5, zoom: 1 }
const MOST_ZOOM = 6
/** Length in pixels that the shorter side of a crop keeps. */
const SHORTEST = 301

const within = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

/** Returns the part of an image that a crop of a ratio (width divided by height) keeps. It is always inside. */
export function cropBox({ width, height }: Size, ratio: number, { x, y, zoom }: Crop): Box {
  const kept = Math.min(width, height * ratio) / zoom
  return { left: (width - kept) * x, top: (height - kept / ratio) * y, width: kept, height: kept / ratio }
}

/** Returns the edges of the part that a crop keeps, as the server cuts it. */
export function cropEdges(size: Size, ratio: number, crop: Crop): CropEdges {
  const { left, top, width, height } = cropBox(size, ratio, crop)
  return {
    left: left / size.width,
    top: top / size.height,
    right: (left + width) / size.width,
    bottom: (top + height) / size.height,
  }
}

/** Returns the largest magnification that leaves enough pixels; less than 1 if the whole image has too few. */
export function maxZoom(size: Size, ratio: number): number {
  const { width, height } = cropBox(size, ratio, CENTRED)
  return Math.min(MOST_ZOOM, Math.min(width, height) / SHORTEST)
}

/** Moves a crop by a distance in pixels of the image. */
export function panned(size: Size, ratio: number, crop: Crop, right: number, down: number): Crop {
  const box = cropBox(size, ratio, crop)
  const [freeX, freeY] = [size.width - box.width, size.height - box.height]
  return {
    ...crop,
    x: freeX > 0 ? within(crop.x + right / freeX, 0, 1) : crop.x,
    y: freeY > 0 ? within(crop.y + down / freeY, 0, 1) : crop.y,
  }
}

/** Magnifies a crop by a factor. */
export const zoomed = (size: Size, ratio: number, crop: Crop, factor: number): Crop => ({
  ...crop,
  zoom: within(crop.zoom * factor, 1, Math.max(1, maxZoom(size, ratio))),
})
