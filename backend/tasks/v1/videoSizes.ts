import { cellsFor, linesOf, type OfferedModel, type TaskType } from '../contract.ts'

/** A size within a tenth of an offered one means it: 720 lines for 768P. */
const TOLERANCE = 0.1
/** Difference of two ratios that are the same, as 1366:768 and 16:9. */
const SAME_RATIO = 0.05
const WIDE = '16:9'
const SIZE = /^(\d{2,5})\s*[x×]\s*(\d{2,5})$/i

const even = (pixels: number) => Math.round(pixels / 2) * 2
const ratioOf = (ratio: string) => {
  const [width = 16, height = 9] = ratio.split(':').map(Number)
  return width / height
}

/** Returns the size in pixels of a resolution and a ratio. @example sizeOf('768P', '9:16') // '768x1366' */
export function sizeOf(resolution: string, ratio: string | null | undefined): string {
  if (SIZE.test(resolution)) return resolution.toLowerCase()
  const lines = linesOf(resolution)
  const shape = ratioOf(ratio ?? WIDE)
  return shape >= 1 ? `${even(lines * shape)}x${lines}` : `${lines}x${even(lines / shape)}`
}

/** The part of a model that decides which sizes it has. */
type Sized = Pick<OfferedModel, 'shapes' | 'aspectRatios'>

/** Returns the sizes of a resolution in the ratios of a model. */
export const sizesOf = ({ aspectRatios }: Pick<Sized, 'aspectRatios'>, resolution: string): string[] =>
  (aspectRatios.length > 0 ? aspectRatios : [WIDE]).map((ratio) => sizeOf(resolution, ratio))

/** Returns all sizes that a model offers for a task type. */
export const offeredSizes = (model: Sized, taskType: TaskType): string[] => [
  ...new Set(cellsFor(model, taskType).flatMap(({ resolution }) => sizesOf(model, resolution))),
]

/**
 * Returns the resolution and ratio that a size such as `1280x720` means: the nearest one within a tenth, and the cheaper of
 * two that are equally near, so that nothing dearer is ever chosen. The video of a picture has the picture's ratio where the
 * model has none. Undefined if the model has no such size.
 */
export function matchSize(
  model: Sized,
  taskType: TaskType,
  size: string,
): { resolution: string; aspectRatio: string | undefined } | undefined {
  const [, width, height] = SIZE.exec(size.trim()) ?? []
  if (!width || !height) return undefined
  const [lines, shape] = [Math.min(Number(width), Number(height)), Number(width) / Number(height)]
  const isSame = (ratio: string) => Math.abs(Math.log(ratioOf(ratio) / shape)) < SAME_RATIO
  const aspectRatio = model.aspectRatios.find(isSame)
  const followsPicture = taskType === 'image_to_video' && model.aspectRatios.length === 0
  const fits = aspectRatio !== undefined || followsPicture || (model.aspectRatios.length === 0 && isSame(WIDE))
  const distance = (resolution: string) => Math.abs(linesOf(resolution) - lines)
  const [nearest] = cellsFor(model, taskType)
    .filter(({ resolution }) => distance(resolution) <= linesOf(resolution) * TOLERANCE)
    .sort((a, b) => distance(a.resolution) - distance(b.resolution) || a.credits - b.credits)
  return fits && nearest ? { resolution: nearest.resolution, aspectRatio } : undefined
}
