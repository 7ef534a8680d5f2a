const REGIONS = [
  ['--glow-a', 0, 0, 4, 4],
  ['--glow-b', 4, 0, 4, 4],
  ['--glow-c', 0, 4, 8, 2],
] as const

/** Lets the three main colours of a picture tint the stage. */
export function tintFrom(image: HTMLImageElement, target: HTMLElement): void {
  const canvas = document.createElement('canvas')
  canvas.width = 8
  canvas.height = 6
  const draw = canvas.getContext('2d', { willReadFrequently: true })
  if (!draw || image.naturalWidth === 0) return
  draw.drawImage(image, 0, 0, 8, 6)
  for (const [name, x, y, width, height] of REGIONS)
    target.style.setProperty(name, average(draw.getImageData(x, y, width, height).data))
}

function average(pixels: Uint8ClampedArray): string {
  const sums = [0, 0, 0]
  for (let at = 0; at < pixels.length; at += 4) for (const channel of [0, 1, 2]) sums[channel]! += pixels[at + channel]!
  return `rgb(${sums.map((sum) => Math.round((sum * 4) / pixels.length)).join(' ')})`
}
