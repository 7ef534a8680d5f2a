import type { CatalogueModel, Shape, TaskType } from '#backend/tasks/contract.ts'
import { engineModel } from '../engineModel.ts'
import { isH3 } from './createForm.ts'

const RATIOS = ['16:9', '9:16', '1:1']
/** Ids that fit the catalogue. */
const ID = /^[\w.:/@-]{1,120}$/

type Offer = Pick<Shape, 'resolutions' | 'seconds'>

/** Open models of 2025 and 2026 are trained for about five seconds and up to 720 lines. */
const USUAL: Offer = { resolutions: ['480P', '720P'], seconds: [5, 10] }
const H3: Offer = { resolutions: ['768P', '2K'], seconds: { from: 4, to: 15 } }

/**
 * Returns the catalogue entries of models of which only the name is known. A file in `DATA_DIR/models` with the same id
 * replaces one.
 */
export const modelsOf = (names: readonly string[]): readonly CatalogueModel[] =>
  names.filter((name) => ID.test(name)).map(modelOf)

function modelOf(id: string): CatalogueModel {
  const name = id.split('/').at(-1)!
  const taskTypes = taskTypesOf(name)
  const h3 = isH3(id)
  return engineModel({
    id,
    names: { en: name, zh: name },
    descriptions: { en: 'Runs on this installation’s own engine', zh: '由本站自己的引擎生成' },
    shapes: [{ taskTypes: [...taskTypes], ...(h3 ? H3 : USUAL) }],
    aspectRatios: RATIOS,
    inputs: { firstFrame: taskTypes.includes('image_to_video'), lastFrame: h3 },
    cameraMovements: true,
    sound: h3,
    seed: true,
    negativePrompt: true,
    routes: [{ provider: 'videos-api', model: id }],
  })
}

/** Reads T2V, I2V and TI2V from names such as `Wan2.2-I2V-A14B-Diffusers`. A name with none of them offers both. */
function taskTypesOf(name: string): readonly TaskType[] {
  const [text, image] = [/ti?2v/i.test(name), /i2v/i.test(name)]
  if (text === image) return ['text_to_video', 'image_to_video']
  return text ? ['text_to_video'] : ['image_to_video']
}
