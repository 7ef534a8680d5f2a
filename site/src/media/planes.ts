import { fileIn } from './fileIn.ts'
import scene from './planes/planes.json' with { type: 'json' }

const pictures = import.meta.glob<string>(['./planes/*.avif', '!./planes/still.avif'], {
  eager: true,
  query: '?url',
  import: 'default',
})

/**
 * A still of the demo renderer in eight planes, farthest first. `scale` is the size of the drawn picture in frames,
 * `nearness` is one over the distance, `top` and `height` are shares of the picture.
 */
export const PLANES = {
  ...scene,
  planes: scene.planes.map((plane, index) => ({ ...plane, picture: fileIn(pictures, `./planes/${index}.avif`) })),
}
export type Planes = typeof PLANES
