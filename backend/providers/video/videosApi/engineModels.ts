import type { CatalogueModel, Shape, TaskType } from '#backend/tasks/contract.ts'
import { engineModel } from '../engineModel.ts'
import { isH3, type ModelCard, programOf } from './engineProfile.ts'

const RATIOS = ['16:9', '9:16', '1:1']
const H3_RATIOS = [...RATIOS, '4:3', '3:4', '21:9']
/** Ids that fit the catalogue. */
const ID = /^[\w.:/@-]{1,120}$/

type Offer = Pick<Shape, 'resolutions' | 'seconds'>

/** Open models of 2025 and 2026 are trained for about five seconds and up to 720 lines. */
const USUAL: Offer = { resolutions: ['480P', '720P'], seconds: [5, 10] }
const H3: Offer = { resolutions: ['768P'], seconds: { from: 4, to: 15 } }

/**
 * Returns the catalogue entries of models of which only the card is known. A file in `DATA_DIR/models` with the same id
 * replaces one.
 */
export const modelsOf = (
  cards: readonly (ModelCard & { readonly tasks: readonly TaskType[] })[],
): readonly CatalogueModel[] => cards.filter(({ id }) => ID.test(id)).map(modelOf)

function modelOf({ tasks, ...card }: ModelCard & { readonly tasks: readonly TaskType[] }): CatalogueModel {
  const { id } = card
  const name = id.replace(/^.*\//s, '')
  const h3 = isH3(id)
  return engineModel({
    id,
    names: { en: name, zh: name },
    descriptions: { en: 'Runs on this installation’s own engine', zh: '由本站自己的引擎生成' },
    shapes: [{ taskTypes: [...tasks], ...(h3 ? H3 : USUAL) }],
    aspectRatios: h3 ? H3_RATIOS : RATIOS,
    inputs: { firstFrame: tasks.includes('image_to_video'), lastFrame: h3 },
    cameraMovements: true,
    // In SGLang, H3 has no switch for its sound.
    sound: h3 && programOf(card) !== 'sglang',
    seed: true,
    // H3 is distilled without a negative branch.
    negativePrompt: !h3,
    routes: [{ provider: 'videos-api', model: id }],
  })
}
