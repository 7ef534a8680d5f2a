/** Nearness of the farthest point of a picture, and the range of nearness. A larger range would distort faces. */
export const FARTHEST = 0.3
export const RELIEF = 0.3

/** Returns the estimated nearness, 0 to 1, at texture coordinates `u` and `v`, 0 to 1. */
export type DepthMap = (u: number, v: number) => number

type Colour = readonly [red: number, green: number, blue: number]

const distance = (a: Colour, b: Colour) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

/**
 * Estimates depth heuristically: the bottom of an image is usually near, and so are central areas whose colour differs
 * from the borders. The map is heavily blurred, so that a wrong estimate causes no visible distortion.
 * @param data pixels as RGBA
 */
export function depthOf(data: Uint8ClampedArray, width: number, height: number): DepthMap {
  const at = (x: number, y: number): Colour => {
    const [red = 0, green = 0, blue = 0] = data.subarray((y * width + x) * 4)
    return [red, green, blue]
  }
  const unlike = new Float32Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const here = at(x, y)
      unlike[y * width + x] = Math.min(
        distance(here, at(0, y)),
        distance(here, at(width - 1, y)),
        distance(here, at(x, 0)),
      )
    }
  }
  const most = unlike.reduce((a, b) => Math.max(a, b), 0.001)
  let near: Float32Array = unlike.map((value, i) => {
    const u = (((i % width) + 0.5) / width) * 2 - 1
    const v = ((Math.floor(i / width) + 0.5) / height) * 2 - 1
    const centred = Math.exp(-(u * u * 1.6 + (v - 0.1) ** 2 * 1.2))
    return 0.45 * ((v + 1) / 2) ** 1.3 + 0.55 * Math.min(1, (value / most) * 1.6) * centred
  })
  for (let pass = 0; pass < 8; pass++) near = blur(near, width, height)
  return sampler(near, width, height)
}

function blur(values: Float32Array, width: number, height: number): Float32Array {
  const clamp = (value: number, end: number) => Math.min(end - 1, Math.max(0, value))
  return values.map((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)]
    let sum = 0
    for (let dy = -2; dy <= 2; dy++) {
      for (let dx = -2; dx <= 2; dx++) sum += values[clamp(y + dy, height) * width + clamp(x + dx, width)]!
    }
    return sum / 25
  })
}

function sampler(values: Float32Array, width: number, height: number): DepthMap {
  const low = values.reduce((a, b) => Math.min(a, b))
  const span = values.reduce((a, b) => Math.max(a, b)) - low || 1
  return (u, v) => {
    const x = Math.max(0, Math.min(width - 1.001, u * width - 0.5))
    const y = Math.max(0, Math.min(height - 1.001, v * height - 0.5))
    const [column, row] = [Math.floor(x), Math.floor(y)]
    const [a, b] = [x - column, y - row]
    const value = (dx: number, dy: number) => values[(row + dy) * width + column + dx]!
    const top = value(0, 0) * (1 - a) + value(1, 0) * a
    const bottom = value(0, 1) * (1 - a) + value(1, 1) * a
    return (top * (1 - b) + bottom * b - low) / span
  }
}
