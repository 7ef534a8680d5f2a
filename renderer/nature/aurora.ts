import { createCanvas } from '@napi-rs/canvas'
import { noise } from '../random.ts'
import { type Stage, setPlane, visibleBox } from '../stage.ts'

const NEARNESS = 0.02
const COLUMNS = 224
const ROWS = 72
const CURTAINS = [
  { base: 0.78, low: [60, 255, 165], high: [70, 120, 255], reach: 0.3 },
  { base: 0.6, low: [50, 225, 215], high: [150, 80, 255], reach: 0.36 },
  { base: 0.46, low: [70, 190, 255], high: [190, 70, 230], reach: 0.3 },
] as const

/** Adds an aurora to the night sky if the prompt mentions one. */
export function addAurora(stage: Stage): void {
  if (!stage.isNight || !stage.description.weather.includes('aurora')) return
  const box = visibleBox(stage, NEARNESS)
  const left = box.left
  const width = box.right - box.left
  const canvas = createCanvas(COLUMNS, ROWS)
  const sheet = canvas.getContext('2d')
  const image = sheet.createImageData(COLUMNS, ROWS)
  stage.drawables.push((context, camera, seconds) => {
    for (let column = 0; column < COLUMNS; column++) {
      paintColumn(image.data, column, left + (column / COLUMNS) * width, seconds, stage.noiseSeed)
    }
    sheet.putImageData(image, 0, 0)
    setPlane(stage, context, camera, NEARNESS)
    context.globalCompositeOperation = 'screen'
    context.imageSmoothingQuality = 'high'
    context.drawImage(canvas, left, box.top, width, stage.viewport.horizon - box.top)
    context.imageSmoothingQuality = 'low'
    context.globalCompositeOperation = 'source-over'
  })
}

/** Paints one pixel column. Each curtain has a sharp lower edge, fades upwards and contains moving rays. */
function paintColumn(data: Uint8ClampedArray, column: number, x: number, seconds: number, seed: number): void {
  const curtains = CURTAINS.map((curtain, i) => {
    const fold = 0.09 * Math.sin(x * 2.1 + seconds * 0.25 + i * 2.3) + 0.035 * Math.sin(x * 6.3 - seconds * 0.4 + i)
    const rays = 0.45 + 0.55 * noise(x * 26 + i * 50 + seconds * 0.5, seconds * 0.35, seed + i)
    const presence = noise(x * 1.3 + i * 30 + seconds * 0.08, i * 7, seed + 40)
    return { ...curtain, edge: curtain.base + fold, strength: rays * Math.max(0, presence * 1.7 - 0.45) }
  })
  for (let row = 0; row < ROWS; row++) {
    const at = (row * COLUMNS + column) * 4
    const height = row / ROWS
    const light: [number, number, number] = [0, 0, 0]
    for (const { edge, low, high, reach, strength } of curtains) {
      const above = edge - height
      if (above < -0.05) continue
      const fall = above < 0 ? (1 + above / 0.05) ** 2 : Math.exp(-above / (reach * 0.5))
      const share = Math.min(1, Math.max(0, above / reach))
      for (let i = 0; i < 3; i++) light[i]! += (low[i]! + (high[i]! - low[i]!) * share) * fall * strength
    }
    // Fade out towards the top edge of the canvas.
    const top = Math.min(1, height * 5)
    data.set([light[0] * 0.5 * top, light[1] * 0.5 * top, light[2] * 0.5 * top, 255], at)
  }
}
