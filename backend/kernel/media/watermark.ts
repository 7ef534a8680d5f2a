import { rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { partPath, writeAtomically } from './atomicFile.ts'
import { h264Arguments, runFfmpeg } from './ffmpeg.ts'
import { probeMp4 } from './probeMp4.ts'

const FONT = 'Kinora Mark'
const require = createRequire(import.meta.url)

type WatermarkOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** Called with increasing percentages, up to 100. */
  onProgress?: (percent: number) => void
  ffmpegPath?: string | undefined
}>

/**
 * Copies a video and adds a text watermark in the lower-right corner. Keeps audio unchanged and removes metadata.
 * @example await watermarkVideo('video.mp4', 'marked.mp4', 'Kinora', { signal })
 */
export async function watermarkVideo(
  src: string,
  out: string,
  text: string,
  options: WatermarkOptions = {},
): Promise<void> {
  const { signal, onProgress, ffmpegPath } = options
  const video = await probeMp4(src)
  const mark = drawMark(Math.min(video.width, video.height), text)
  const markFile = partPath(`${out}.mark.png`)
  let percent = 0
  const onTime = (seconds: number) => {
    const next = Math.min(99, Math.floor((seconds / video.duration) * 100))
    if (next > percent) {
      percent = next
      onProgress?.(percent)
    }
  }
  try {
    await writeFile(markFile, mark.png)
    await writeAtomically(out, (part) =>
      runFfmpeg(watermarkArguments(src, markFile, mark.margin, video.fps, part), { signal, onTime, ffmpegPath }),
    )
    onProgress?.(100)
  } finally {
    await rm(markFile, { force: true })
  }
}

function watermarkArguments(src: string, markFile: string, margin: number, fps: number, part: string): string[] {
  return [
    // Explicit demuxers keep a crafted file from making ffmpeg open other files.
    ...['-f', 'mov', '-i', src],
    ...['-f', 'image2', '-c:v', 'png', '-pattern_type', 'none', '-i', markFile],
    ...['-filter_complex', `[0:v][1:v]overlay=W-w-${margin}:H-h-${margin},format=yuv420p[v]`],
    ...['-map', '[v]', '-map', '0:a?', '-c:a', 'copy', '-map_metadata', '-1', '-progress', 'pipe:1'],
    ...h264Arguments({ fps }),
    part,
  ]
}

/** Draws the watermark for a video whose shorter side is `side` pixels: a play symbol and the text on a dark pill. */
function drawMark(side: number, text: string): { png: Buffer; margin: number } {
  registerFont()
  const fontSize = Math.max(12, Math.round(side * 0.034))
  const font = `600 ${fontSize}px "${FONT}"`
  const ruler = createCanvas(8, 8).getContext('2d')
  ruler.font = font
  const padding = Math.round(fontSize * 0.55)
  const width = Math.ceil(ruler.measureText(text).width) + fontSize + padding * 3
  const height = Math.round(fontSize * 1.7)
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = 'rgba(8, 8, 16, 0.4)'
  context.beginPath()
  context.roundRect(0, 0, width, height, height / 2)
  context.fill()
  context.fillStyle = 'rgba(255, 255, 255, 0.92)'
  const centre = { x: padding + fontSize * 0.5, y: height / 2 }
  context.beginPath()
  context.moveTo(centre.x - fontSize * 0.28, centre.y - fontSize * 0.36)
  context.lineTo(centre.x + fontSize * 0.4, centre.y)
  context.lineTo(centre.x - fontSize * 0.28, centre.y + fontSize * 0.36)
  context.closePath()
  context.fill()
  context.font = font
  context.textBaseline = 'middle'
  context.fillText(text, padding * 1.7 + fontSize, centre.y + fontSize * 0.04)
  return { png: canvas.toBuffer('image/png'), margin: Math.round(side * 0.028) }
}

let registered = false

/** Registers the site's font, because a minimal server has no fonts. */
function registerFont(): void {
  if (registered) return
  const file = require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  registered = GlobalFonts.registerFromPath(file, FONT) !== null
  if (!registered) throw new Error('cannot read the watermark font')
}
