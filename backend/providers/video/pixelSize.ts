interface Size {
  readonly width: number
  readonly height: number
}

/** Diffusion models need sides that are multiples of 16. */
const STEP = 16
/** Short edges of the names that are not a number of lines. */
const SHORT_EDGES: Readonly<Record<string, number>> = { '2K': 1440, '4K': 2160 }

/**
 * Returns the pixels of a video, or undefined if the resolution is not a size.
 * @param resolution such as `720P`, `2K` or `1280x720`
 * @param shape the aspect ratio, such as `9:16`, or the picture that the video starts with; undefined: 16:9
 * @example pixelSize('720P', '9:16') // { width: 720, height: 1280 }
 */
export function pixelSize(resolution: string, shape?: string | Size): Size | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/i.exec(resolution) ?? []
  if (width && height) return { width: Number(width), height: Number(height) }
  const short = SHORT_EDGES[resolution.toUpperCase()] ?? Number(/^(\d+)P$/i.exec(resolution)?.[1] ?? 0)
  if (short === 0) return undefined
  const ratio = ratioOf(shape)
  const round = (pixels: number) => Math.round(pixels / STEP) * STEP
  return ratio >= 1
    ? { width: round(short * ratio), height: round(short) }
    : { width: round(short), height: round(short / ratio) }
}

/** Returns width divided by height. */
function ratioOf(shape: string | Size = '16:9'): number {
  const [width = 16, height = 9] =
    typeof shape === 'string' ? shape.split(':').map(Number) : [shape.width, shape.height]
  return width / height
}
