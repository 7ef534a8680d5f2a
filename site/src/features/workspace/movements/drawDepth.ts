/** Draws a picture with estimated depth from a moving camera, with the maths of the renderer. */
import {
  type Camera,
  type CameraPath,
  createCameraPath,
  depthOf,
  FARTHEST,
  projectPoint,
  RELIEF,
} from '#backend/tasks/camera/contract.ts'
import { contextOf } from '../../../ui/pictures/contextOf.ts'

const COLUMNS = 24
/** Hides the edges of the picture during most movements; the renderer searches for the smallest value. */
const OVERSCAN = 1.3
/** Overlap of adjacent cells in pixels, which hides seams. */
const OVERLAP = 1

type Point = readonly [x: number, y: number]

export interface DepthPicture {
  readonly picture: HTMLCanvasElement
  readonly rows: number
  readonly nearness: readonly number[]
}

/** Crops an image to a size and estimates its depth. */
export function createDepthPicture(image: HTMLImageElement, width: number, height: number): DepthPicture {
  const picture = document.createElement('canvas')
  picture.width = width
  picture.height = height
  const context = contextOf(picture, { willReadFrequently: true })
  const scale = Math.max(width / image.naturalWidth, height / image.naturalHeight)
  const [fullWidth, fullHeight] = [image.naturalWidth * scale, image.naturalHeight * scale]
  context.drawImage(image, (width - fullWidth) / 2, (height - fullHeight) / 2, fullWidth, fullHeight)
  const rows = Math.round((COLUMNS * height) / width)
  const small = document.createElement('canvas')
  small.width = COLUMNS * 2
  small.height = rows * 2
  const samples = contextOf(small, { willReadFrequently: true })
  samples.drawImage(picture, 0, 0, small.width, small.height)
  const depth = depthOf(samples.getImageData(0, 0, small.width, small.height).data, small.width, small.height)
  const nearness = Array.from({ length: (rows + 1) * (COLUMNS + 1) }, (_, at) => {
    const [column, row] = [at % (COLUMNS + 1), Math.floor(at / (COLUMNS + 1))]
    return FARTHEST + RELIEF * depth(column / COLUMNS, row / rows)
  })
  return { picture, rows, nearness }
}

/** Returns the path of the movements in a clip of some seconds. */
export const pathOf = (movements: readonly string[], seconds: number, aspect: number): CameraPath =>
  createCameraPath(movements, { duration: seconds, aspect, seed: 1 })

/** Returns the camera where a hand holds it: each movement at its own progress. */
export function heldCamera(
  held: readonly { readonly movement: string; readonly progress: number }[],
  seconds: number,
  aspect: number,
): Camera {
  const cameras = held.map(({ movement, progress }) => pathOf([movement], seconds, aspect)(progress))
  const rest: Camera = { truck: 0, pedestal: 0, dolly: 0, pan: 0, tilt: 0, zoom: 1, roll: 0 }
  return cameras.reduce(
    (sum, camera) => ({
      truck: sum.truck + camera.truck,
      pedestal: sum.pedestal + camera.pedestal,
      dolly: sum.dolly + camera.dolly,
      pan: sum.pan + camera.pan,
      tilt: sum.tilt + camera.tilt,
      zoom: sum.zoom * camera.zoom,
      roll: sum.roll + camera.roll,
    }),
    rest,
  )
}

export function drawDepth(
  context: CanvasRenderingContext2D,
  { picture, rows, nearness }: DepthPicture,
  camera: Camera,
) {
  const { width, height } = picture
  const [cos, sin] = [Math.cos(camera.roll), Math.sin(camera.roll)]
  const place = (column: number, row: number): Point => {
    const worldX = (column / COLUMNS - 0.5) * (width / height) * OVERSCAN
    const near = nearness[row * (COLUMNS + 1) + column]!
    const [x, y] = projectPoint(camera, near, worldX, (row / rows - 0.5) * OVERSCAN)
    return [width / 2 + (cos * x - sin * y) * height, height / 2 + (sin * x + cos * y) * height]
  }
  const [cellWidth, cellHeight] = [width / COLUMNS, height / rows]
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < COLUMNS; column++) {
      const [a, b, c] = [place(column, row), place(column + 1, row), place(column, row + 1)]
      const [left, top] = [column * cellWidth, row * cellHeight]
      const [xx, xy] = [(b[0] - a[0]) / cellWidth, (b[1] - a[1]) / cellWidth]
      const [yx, yy] = [(c[0] - a[0]) / cellHeight, (c[1] - a[1]) / cellHeight]
      context.setTransform(xx, xy, yx, yy, a[0] - xx * left - yx * top, a[1] - xy * left - yy * top)
      const size = [cellWidth + OVERLAP, cellHeight + OVERLAP] as const
      context.drawImage(picture, left, top, ...size, left, top, ...size)
    }
  context.setTransform(1, 0, 0, 1, 0, 0)
}
