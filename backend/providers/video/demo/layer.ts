import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { type Stage, setPlane, visibleBox } from './stage.ts'
import type { Box } from './view.ts'

export type LayerOptions = Readonly<{
  /** Drift to the right, in units per second. */
  drift?: number
  /** How far the top moves in the wind, as a share of the height. */
  sway?: number
  /** World y of the upper and lower limit of the painted area. */
  top?: number
  bottom?: number
  /** Pixels of the layer per pixel of the frame. Soft shapes need fewer. */
  detail?: number
}>

/** The most pixels of a layer per pixel of the frame: more uses memory without a visible gain. */
const MAX_MAGNIFICATION = 1.5

/** Paints a plane of the scene once, in world units, and draws it in every frame. `paint` receives the box to fill. */
export function addLayer(
  stage: Stage,
  nearness: number,
  options: LayerOptions,
  paint: (context: SKRSContext2D, box: Box) => void,
): void {
  const { drift = 0, sway = 0, top = -Infinity, bottom = Infinity, detail = 1 } = options
  const shown = visibleBox(stage, nearness, drift)
  const box = { ...shown, top: Math.max(shown.top, top), bottom: Math.min(shown.bottom, bottom) }
  if (box.bottom <= box.top) return
  const lean = sway * 1.5 * (box.bottom - box.top)
  box.left -= lean
  box.right += lean
  const scale = Math.min(shown.pixelsPerUnit, stage.viewport.height * MAX_MAGNIFICATION) * detail
  const canvas = createCanvas(
    Math.max(2, Math.ceil((box.right - box.left) * scale)),
    Math.max(2, Math.ceil((box.bottom - box.top) * scale)),
  )
  const context = canvas.getContext('2d')
  context.setTransform(scale, 0, 0, scale, -box.left * scale, -box.top * scale)
  paint(context, box)
  const trimmed = trimEmptyRows(canvas)
  if (!trimmed) return
  const y = box.top + trimmed.firstRow / scale
  const height = trimmed.canvas.height / scale
  stage.drawables.push((target, camera, seconds) => {
    setPlane(stage, target, camera, nearness)
    target.translate(box.left + drift * seconds, y)
    if (sway) {
      const wind = sway * (Math.sin(seconds * 0.9 + nearness * 7) + 0.4 * Math.sin(seconds * 2.3 + nearness * 3))
      target.transform(1, 0, -wind, 1, wind * height, 0)
    }
    target.scale(1 / scale, 1 / scale)
    target.drawImage(trimmed.canvas, 0, 0)
  })
}

/** Crops empty rows, because blending them costs as much as blending full ones. */
function trimEmptyRows(canvas: Canvas): { canvas: Canvas; firstRow: number } | undefined {
  const { width, height } = canvas
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer)
  const isEmpty = (row: number) => pixels.subarray(row * width, (row + 1) * width).every((pixel) => pixel >>> 24 === 0)
  let first = 0
  let end = height
  while (first < end && isEmpty(first)) first++
  while (end > first && isEmpty(end - 1)) end--
  if (first === end) return undefined
  first = Math.max(0, first - 2)
  end = Math.min(height, end + 2)
  if (end - first > height * 0.97) return { canvas, firstRow: 0 }
  const smaller = createCanvas(width, end - first)
  smaller.getContext('2d').drawImage(canvas, 0, first, width, end - first, 0, 0, width, end - first)
  return { canvas: smaller, firstRow: first }
}
