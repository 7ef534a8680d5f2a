import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas'
import {
  type CameraOptions,
  createCameraPath,
  FARTHEST,
  projectPoint,
  RELIEF,
} from '../backend/tasks/camera/contract.ts'
import { guessDepth } from './depth.ts'
import type { Description } from './description.ts'
import { noise } from './random.ts'
import type { DrawFrame, Frame } from './scene.ts'
import { createStage } from './stage.ts'
import type { Camera, CameraPath } from './view.ts'
import { addWeather } from './weather.ts'

/** Number of mesh cells across the image. */
const COLUMNS = 32
/** Maximum overscan of a camera movement. Overscan crops the uploaded image. */
const MAX_OVERSCAN = 1.35
/** Overlap of adjacent mesh cells in pixels, which hides seams. */
const OVERLAP = 1.5

type Point = [x: number, y: number]
type Mesh = Readonly<{ columns: number; rows: number; nearness: readonly number[]; frame: Frame; seed: number }>

/** Animates a first frame: maps it onto a mesh with estimated depth and moves the camera. Adds the prompt's weather. */
export function buildPhoto(
  image: Image,
  description: Description,
  movements: readonly string[],
  frame: Frame,
): DrawFrame {
  const mesh = createMesh(image, description, frame)
  const { path, overscan } = chooseStrength(mesh, movements)
  const picture = scalePicture(image, frame, magnification(path) * overscan)
  const stage = createStage(description, path, { ...frame, horizon: 0 })
  if (description.weather.length > 0) addWeather(stage)
  return (context, progress) => {
    const camera = path(progress)
    const seconds = progress * frame.seconds
    drawMesh(context, mesh, picture, placePoints(mesh, camera, overscan, seconds))
    for (const draw of stage.drawables) draw(context, camera, seconds)
    context.setTransform(1, 0, 0, 1, 0, 0)
  }
}

function createMesh(image: Image, description: Description, frame: Frame): Mesh {
  const rows = Math.max(6, Math.round((COLUMNS * frame.height) / frame.width))
  const depth = guessDepth(image, COLUMNS, rows)
  const nearness: number[] = []
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= COLUMNS; column++)
      nearness.push(FARTHEST + RELIEF * depth(column / COLUMNS, row / rows))
  }
  return { columns: COLUMNS, rows, nearness, frame, seed: description.seed }
}

/** Returns the strongest camera path whose overscan does not exceed the maximum. */
function chooseStrength(mesh: Mesh, movements: readonly string[]): { path: CameraPath; overscan: number } {
  const { width, height, seconds } = mesh.frame
  const options: CameraOptions = { duration: seconds, aspect: width / height, seed: mesh.seed }
  let strength = 1
  for (;;) {
    const path = createCameraPath(movements, { ...options, strength })
    const overscan = smallestOverscan(mesh, path)
    if (overscan <= MAX_OVERSCAN || strength < 0.2) return { path, overscan }
    strength *= 0.75
  }
}

/** Returns the smallest magnification that keeps the image's edges outside the frame for the whole clip. */
function smallestOverscan(mesh: Mesh, path: CameraPath): number {
  let overscan = 1
  while (overscan < 2.2 && !coversFrame(mesh, path, overscan)) overscan += 0.01
  return overscan
}

function coversFrame(mesh: Mesh, path: CameraPath, overscan: number): boolean {
  const { columns, rows, frame } = mesh
  const samples = 72
  for (let sample = 0; sample <= samples; sample++) {
    const progress = sample / samples
    const at = pointPlacer(mesh, path(progress), overscan, progress * frame.seconds)
    for (let column = 0; column <= columns; column++) {
      if (at(column, 0)[1] > -1 || at(column, rows)[1] < frame.height + 1) return false
    }
    for (let row = 0; row <= rows; row++) {
      if (at(0, row)[0] > -1 || at(columns, row)[0] < frame.width + 1) return false
    }
  }
  return true
}

/** Returns a function that projects a mesh vertex to pixel coordinates. */
function pointPlacer(mesh: Mesh, camera: Camera, overscan: number, seconds: number) {
  const { columns, rows, nearness, frame, seed } = mesh
  const { width, height } = frame
  const aspect = width / height
  const [cos, sin] = [Math.cos(camera.roll), Math.sin(camera.roll)]
  // Displace near vertices slightly, so that the picture moves even with a fixed camera.
  const breath = 0.008 * Math.min(1, seconds / 1.5)
  const drift = seconds * 0.35
  return (column: number, row: number): Point => {
    const near = nearness[row * (columns + 1) + column]!
    const worldX = (column / columns - 0.5) * aspect * overscan
    const worldY = (row / rows - 0.5) * overscan
    const sway = breath * near * near
    const swayX = sway * (noise(column * 0.16 + drift, row * 0.16, seed % 977) - 0.5)
    const swayY = sway * (noise(column * 0.16 + 40, row * 0.16 + drift, (seed % 977) + 3) - 0.5)
    const [flatX, flatY] = projectPoint(camera, near, worldX, worldY)
    const [x, y] = [flatX + swayX, flatY + swayY]
    return [width / 2 + (cos * x - sin * y) * height, height / 2 + (sin * x + cos * y) * height]
  }
}

function placePoints(mesh: Mesh, camera: Camera, overscan: number, seconds: number): Point[][] {
  const place = pointPlacer(mesh, camera, overscan, seconds)
  return Array.from({ length: mesh.rows + 1 }, (_, row) =>
    Array.from({ length: mesh.columns + 1 }, (_, column) => place(column, row)),
  )
}

/** Returns the maximum magnification along the path, capped at 1.6 because more adds no visible detail. */
function magnification(path: CameraPath): number {
  let most = 1
  for (let sample = 0; sample <= 20; sample++) {
    const camera = path(sample / 20)
    most = Math.max(most, camera.zoom / (1 - camera.dolly * 0.5))
  }
  return Math.min(1.6, most)
}

/** Crops the image to the frame's aspect ratio and scales it. Repeated halving prevents aliasing of large photos. */
function scalePicture(image: Image, frame: Frame, factor: number): Canvas {
  const canvas = createCanvas(Math.round(frame.width * factor), Math.round(frame.height * factor))
  const context = canvas.getContext('2d', { alpha: false })
  const scale = Math.max(canvas.width / image.width, canvas.height / image.height)
  let source: Image | Canvas = image
  for (let rest = scale; rest < 0.5; rest *= 2) {
    const half: Canvas = createCanvas(Math.ceil(source.width / 2), Math.ceil(source.height / 2))
    const halfContext = half.getContext('2d')
    halfContext.imageSmoothingQuality = 'high'
    halfContext.drawImage(source, 0, 0, half.width, half.height)
    source = half
  }
  const [width, height] = [image.width * scale, image.height * scale]
  context.imageSmoothingQuality = 'high'
  context.drawImage(source, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height)
  return canvas
}

function drawMesh(context: SKRSContext2D, mesh: Mesh, picture: Canvas, points: readonly Point[][]): void {
  const cellWidth = picture.width / mesh.columns
  const cellHeight = picture.height / mesh.rows
  context.imageSmoothingQuality = 'low'
  for (let row = 0; row < mesh.rows; row++) {
    for (let column = 0; column < mesh.columns; column++) {
      const corners = [row, row + 1].flatMap((r) => [points[r]![column]!, points[r]![column + 1]!])
      if (isOutside(corners, mesh.frame)) continue
      const [a, b, c, d] = corners as [Point, Point, Point, Point]
      const left = Math.max(0, column * cellWidth - OVERLAP)
      const top = Math.max(0, row * cellHeight - OVERLAP)
      const width = Math.min(picture.width, (column + 1) * cellWidth + OVERLAP) - left
      const height = Math.min(picture.height, (row + 1) * cellHeight + OVERLAP) - top
      // The best-fitting affine transform for the cell's four vertices, around its centre.
      const xx = (b[0] - a[0] + d[0] - c[0]) / 2 / cellWidth
      const xy = (b[1] - a[1] + d[1] - c[1]) / 2 / cellWidth
      const yx = (c[0] - a[0] + d[0] - b[0]) / 2 / cellHeight
      const yy = (c[1] - a[1] + d[1] - b[1]) / 2 / cellHeight
      const [centreX, centreY] = [(column + 0.5) * cellWidth, (row + 0.5) * cellHeight]
      const shiftX = (a[0] + b[0] + c[0] + d[0]) / 4 - xx * centreX - yx * centreY
      const shiftY = (a[1] + b[1] + c[1] + d[1]) / 4 - xy * centreX - yy * centreY
      context.setTransform(xx, xy, yx, yy, shiftX, shiftY)
      context.drawImage(picture, left, top, width, height, left, top, width, height)
    }
  }
}

function isOutside(corners: readonly Point[], { width, height }: Frame): boolean {
  return (
    corners.every(([x]) => x < -4) ||
    corners.every(([x]) => x > width + 4) ||
    corners.every(([, y]) => y < -4) ||
    corners.every(([, y]) => y > height + 4)
  )
}
