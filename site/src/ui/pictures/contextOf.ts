/** Returns the drawing context of a canvas. @throws Error in a browser that gives none, such as one without memory */
export function contextOf(
  canvas: HTMLCanvasElement,
  settings?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', settings)
  if (!context) throw new Error('no 2D context')
  return context
}
