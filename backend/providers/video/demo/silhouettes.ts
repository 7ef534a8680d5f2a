import type { SKRSContext2D } from '@napi-rs/canvas'

/** Paints a figure in the current fill and stroke colour: feet at the origin, one unit tall, y up is negative. */
export type Silhouette = (context: SKRSContext2D, seconds: number) => void

const TURN = Math.PI * 2

/** A sitting cat seen from the front; its tail sways. */
export const paintCat: Silhouette = (context, seconds) => {
  const breath = 0.008 * Math.sin(seconds * 2.1)
  const wag = Math.sin(seconds * 1.9) * 0.16
  context.lineWidth = 0.07
  context.lineCap = 'round'
  context.beginPath()
  context.moveTo(0.15, -0.04)
  context.bezierCurveTo(0.42, 0.03, 0.5, -0.16 + wag * 0.3, 0.43 + wag * 0.4, -0.42 - wag * 0.2)
  context.stroke()
  context.beginPath()
  context.moveTo(-0.22, 0)
  context.bezierCurveTo(-0.32, -0.16, -0.26, -0.44 - breath, -0.12, -0.58 - breath)
  context.lineTo(0.12, -0.58 - breath)
  context.bezierCurveTo(0.26, -0.44 - breath, 0.32, -0.16, 0.22, 0)
  context.closePath()
  context.fill()
  context.beginPath()
  context.ellipse(0, -0.71, 0.175, 0.15, 0, 0, TURN)
  context.fill()
  for (const side of [-1, 1]) {
    context.beginPath()
    context.moveTo(side * 0.165, -0.75)
    context.quadraticCurveTo(side * 0.17, -0.92, side * 0.15, -0.99)
    context.quadraticCurveTo(side * 0.08, -0.93, side * 0.03, -0.84)
    context.closePath()
    context.fill()
    context.beginPath()
    context.ellipse(side * 0.07, -0.02, 0.075, 0.045, 0, 0, TURN)
    context.fill()
  }
}

/** A sitting dog in profile, looking right; its tail wags. */
export const paintDog: Silhouette = (context, seconds) => {
  const wag = Math.sin(seconds * 5) * 0.1
  context.lineWidth = 0.06
  context.lineCap = 'round'
  context.beginPath()
  context.moveTo(-0.22, -0.06)
  context.quadraticCurveTo(-0.42, -0.1 - wag * 0.3, -0.46 + wag * 0.3, -0.3 - wag)
  context.stroke()
  context.beginPath()
  context.moveTo(-0.24, 0)
  context.bezierCurveTo(-0.36, -0.16, -0.26, -0.38, -0.1, -0.5)
  context.bezierCurveTo(-0.04, -0.56, -0.04, -0.66, -0.02, -0.72)
  context.bezierCurveTo(0, -0.86, 0.1, -0.92, 0.19, -0.88)
  context.bezierCurveTo(0.24, -0.86, 0.26, -0.82, 0.29, -0.79)
  context.lineTo(0.39, -0.755)
  context.bezierCurveTo(0.43, -0.73, 0.42, -0.68, 0.37, -0.67)
  context.bezierCurveTo(0.3, -0.65, 0.24, -0.64, 0.2, -0.6)
  context.bezierCurveTo(0.22, -0.5, 0.2, -0.42, 0.17, -0.36)
  context.lineTo(0.15, -0.05)
  context.quadraticCurveTo(0.23, -0.05, 0.23, 0)
  context.closePath()
  context.fill()
  context.beginPath()
  context.moveTo(0.09, -0.9)
  context.bezierCurveTo(-0.02, -0.92, -0.1, -0.8, -0.08, -0.64)
  context.bezierCurveTo(0, -0.6, 0.06, -0.7, 0.1, -0.78)
  context.closePath()
  context.fill()
}

/** Somebody in a long coat, seen from behind, shifting their weight a little. */
export const paintPerson: Silhouette = (context, seconds) => {
  const shift = 0.004 * Math.sin(seconds * 1.2)
  const wind = 0.012 * Math.sin(seconds * 1.7) + 0.006 * Math.sin(seconds * 3.1)
  context.beginPath()
  context.ellipse(shift, -0.925, 0.052, 0.066, 0, 0, TURN)
  context.fill()
  context.beginPath()
  context.moveTo(-0.03 + shift, -0.88)
  context.lineTo(-0.032, -0.845)
  context.bezierCurveTo(-0.1, -0.83, -0.135, -0.815, -0.14, -0.76)
  context.bezierCurveTo(-0.165, -0.62, -0.17, -0.55, -0.165, -0.47)
  context.lineTo(-0.135, -0.46)
  context.lineTo(-0.115, -0.6)
  context.bezierCurveTo(-0.115, -0.48, -0.13, -0.36, -0.145 + wind, -0.26)
  context.quadraticCurveTo(0 + wind, -0.235, 0.145 + wind * 1.6, -0.26)
  context.bezierCurveTo(0.13, -0.36, 0.115, -0.48, 0.115, -0.6)
  context.lineTo(0.135, -0.46)
  context.lineTo(0.165, -0.47)
  context.bezierCurveTo(0.17, -0.55, 0.165, -0.62, 0.14, -0.76)
  context.bezierCurveTo(0.135, -0.815, 0.1, -0.83, 0.032, -0.845)
  context.lineTo(0.03 + shift, -0.88)
  context.closePath()
  context.fill()
  for (const side of [-1, 1]) {
    context.beginPath()
    context.moveTo(side * 0.015, -0.3)
    context.lineTo(side * 0.095, -0.3)
    context.quadraticCurveTo(side * 0.088, -0.12, side * 0.075, -0.02)
    context.lineTo(side * 0.1, 0)
    context.lineTo(side * 0.025, 0)
    context.closePath()
    context.fill()
  }
}
