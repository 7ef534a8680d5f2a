/** Kept apart from the other icons, so that page scripts do not bundle all of them. */
export const CLOSE_PATHS = ['M6 6l12 12', 'M18 6L6 18'] as const

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an icon without React. */
export function drawIcon(paths: readonly string[]): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  const attributes = {
    class: 'icon',
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.8',
  }
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  svg.setAttribute('aria-hidden', 'true')
  for (const d of paths) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', d)
    svg.append(path)
  }
  return svg
}

export const closeIcon = (): SVGElement => drawIcon(CLOSE_PATHS)
