import type { Planes } from '../../../media/planes.ts'
import { contextOf } from '../../../ui/pictures/contextOf.ts'
import type { Pose } from './pose.ts'

const RATIO = 16 / 9

/** Loads the planes and returns a function that paints them as the camera sees them: near planes move more. */
export async function loadPainter(canvas: HTMLCanvasElement, { scale, horizon, planes }: Planes) {
  const pictures = await Promise.all(
    planes.map(async ({ picture, ...plane }) => {
      const image = Object.assign(new Image(), { src: picture })
      await image.decode()
      return { ...plane, image }
    }),
  )
  const context = contextOf(canvas)
  return (pose: Pose): void => {
    const density = Math.min(devicePixelRatio, 1.5)
    const [width, height] = [Math.round(canvas.clientWidth * density), Math.round(canvas.clientHeight * density)]
    if (width === 0) return
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    const size = Math.max(height, width / RATIO) * pose.zoom
    const [cos, sin] = [Math.cos(pose.roll), Math.sin(pose.roll)]
    for (const { nearness, top, height: share, image } of pictures) {
      const distance = 1 - pose.dolly * nearness
      const drawn = (scale * size) / distance
      const x = size * ((-pose.truck * nearness) / distance - pose.pan)
      const y = size * ((-horizon - pose.pedestal * nearness) / distance + horizon - pose.tilt)
      context.setTransform(cos, sin, -sin, cos, width / 2, height / 2)
      context.drawImage(image, x - (drawn * RATIO) / 2, y + (top - 0.5) * drawn, drawn * RATIO, share * drawn)
    }
  }
}
