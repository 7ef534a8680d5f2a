import { createRequire } from 'node:module'
import { type Canvas, createCanvas, GlobalFonts, Path2D, type SKRSContext2D } from '@napi-rs/canvas'
import type { Stamp } from './stampsInChild.ts'

const FONT = 'Kinora Mark'
const require = createRequire(import.meta.url)

/** The strokes of 生 and 成 in a square of 100. The font has no Chinese, and a minimal server has no fonts. */
const STROKES = {
  生: 'M31 12 Q24 32 10 46 M26 30 H86 M20 58 H82 M52 9 V90 M7 90 H94',
  成: 'M17 29 H91 M17 29 V54 Q16 76 6 91 M18 52 H44 Q43 68 40 77 L31 73 M54 8 Q57 62 86 90 L93 74 M82 43 Q70 72 45 89 M68 9 L81 19',
} as const
const GAP = 0.12

/** Draws the watermark for a video whose shorter side is `side` pixels: a play symbol and the text on a dark pill. */
function drawWatermark(side: number, text: string): Buffer {
  const size = Math.max(12, Math.round(side * 0.034))
  const padding = Math.round(size * 0.55)
  const width = measure(text, size) + size + padding * 3
  const { canvas, context, middle } = drawPill(width, Math.round(size * 1.7), 0.4)
  const centre = { x: padding + size * 0.5, y: middle }
  context.beginPath()
  context.moveTo(centre.x - size * 0.28, centre.y - size * 0.36)
  context.lineTo(centre.x + size * 0.4, centre.y)
  context.lineTo(centre.x - size * 0.28, centre.y + size * 0.36)
  context.closePath()
  context.fill()
  write(context, text, padding * 1.7 + size, middle, size)
  return canvas.toBuffer('image/png')
}

/**
 * Draws the label that AI made a video whose shorter side is `side` pixels, in Chinese and English. Its capitals are
 * higher than the 5 % of that side that GB 45438-2025 requires.
 */
function drawLabel(side: number): Buffer {
  const size = Math.max(16, Math.ceil(side * 0.07))
  const padding = Math.round(size * 0.6)
  const glyph = size * (1 + GAP)
  const english = ' · AI-generated'
  const start = measure('AI', size) + size * GAP
  const width = Math.ceil(padding * 2 + start + glyph * 2 + measure(english, size))
  const { canvas, context, middle } = drawPill(width, Math.round(size * 1.8), 0.6)
  write(context, 'AI', padding, middle, size)
  for (const [n, strokes] of Object.values(STROKES).entries())
    drawGlyph(context, strokes, padding + start + n * glyph, middle - size / 2, size)
  write(context, english, padding + start + glyph * 2, middle, size)
  return canvas.toBuffer('image/png')
}

type Pill = Readonly<{ canvas: Canvas; context: SKRSContext2D; middle: number }>

function drawPill(width: number, height: number, opacity: number): Pill {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = `rgba(8, 8, 16, ${opacity})`
  context.beginPath()
  context.roundRect(0, 0, width, height, height / 2)
  context.fill()
  context.fillStyle = context.strokeStyle = 'rgba(255, 255, 255, 0.94)'
  return { canvas, context, middle: height / 2 }
}

function write(context: SKRSContext2D, text: string, x: number, middle: number, size: number): void {
  context.font = fontOf(size)
  context.textBaseline = 'middle'
  context.fillText(text, x, middle + size * 0.04)
}

function drawGlyph(context: SKRSContext2D, strokes: string, x: number, y: number, size: number): void {
  context.save()
  context.translate(x, y)
  context.scale(size / 100, size / 100)
  context.lineWidth = 9
  context.lineCap = context.lineJoin = 'round'
  context.stroke(new Path2D(strokes))
  context.restore()
}

function measure(text: string, size: number): number {
  const ruler = createCanvas(8, 8).getContext('2d')
  ruler.font = fontOf(size)
  return Math.ceil(ruler.measureText(text).width)
}

let registered = false

/** Returns the site's font, which it registers first. */
function fontOf(size: number): string {
  if (!registered) {
    const file = require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
    registered = GlobalFonts.registerFromPath(file, FONT) !== null
    if (!registered) throw new Error('cannot read the font of the stamps')
  }
  return `600 ${size}px "${FONT}"`
}

/** Entry point of the child process that `drawInChild` starts: writes the PNG of a stamp to stdout. */
function runAsChild(stamp: Stamp): void {
  process.stdout.write(stamp.kind === 'label' ? drawLabel(stamp.side) : drawWatermark(stamp.side, stamp.text))
}

if (import.meta.main) runAsChild(JSON.parse(process.argv[2]!))
