import type { CatalogueModel, Shape, TaskType } from '#backend/tasks/contract.ts'
import { engineModel } from '../engineModel.ts'
import { isH3, isReduced, type Offer as KinoraOffer, type ModelCard, programOf, tasksIn } from './engineProfile.ts'

const RATIOS = ['16:9', '9:16', '1:1']
const H3_RATIOS = [...RATIOS, '4:3', '3:4', '21:9']
/** Ids that fit the catalogue. */
const ID = /^[\w.:/@-]{1,120}$/
const SIZE = /^(\d{2,5})x(\d{2,5})$/

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
  const reduced = isReduced(card)
  const offers = (card.offers ?? []).filter(
    ({ size, task_types }) => SIZE.test(size) && tasksIn(task_types.join()).length > 0,
  )
  if (offers.length > 0) return kinoraModel(id, name, tasks, offers)
  return engineModel({
    id,
    names: { en: name, zh: name },
    descriptions: { en: 'Runs on this installation’s own engine', zh: '由本站自己的引擎生成' },
    shapes: [{ taskTypes: [...tasks], ...(h3 ? H3 : USUAL) }],
    aspectRatios: h3 ? H3_RATIOS : RATIOS,
    inputs: { firstFrame: tasks.includes('image_to_video'), lastFrame: h3 && !reduced },
    cameraMovements: true,
    // In SGLang, H3 has no switch for its sound.
    sound: h3 && !reduced && programOf(card) !== 'sglang',
    seed: !reduced,
    // H3 is distilled without a negative branch.
    negativePrompt: !h3 && !reduced,
    routes: [{ provider: 'videos-api', model: id }],
  })
}

/** Returns the model of another Kinora, which says exactly what it offers. */
function kinoraModel(id: string, name: string, tasks: readonly TaskType[], offers: readonly KinoraOffer[]) {
  const sides = (size: string) => (SIZE.exec(size) ?? []).slice(1).map(Number)
  const ratios = RATIOS.filter((ratio) => {
    const [width = 1, height = 1] = ratio.split(':').map(Number)
    return offers.some(({ size }) => {
      const [wide = 1, high = 1] = sides(size)
      return Math.abs(wide / high / (width / height) - 1) < 0.05
    })
  })
  const shapes = offers.map(({ size, seconds, task_types }) => {
    return {
      taskTypes: [...tasksIn(task_types.join(' '))],
      resolutions: [`${Math.min(...sides(size))}P`],
      seconds: [seconds],
    }
  })
  return engineModel({
    ...{ id, names: { en: name, zh: name }, shapes },
    descriptions: { en: 'Runs on another installation of Kinora', zh: '由另一个 Kinora 站点生成' },
    // A model with one ratio names none.
    aspectRatios: ratios.length > 1 ? ratios : [],
    inputs: { firstFrame: tasks.includes('image_to_video') },
    routes: [{ provider: 'videos-api', model: id }],
  })
}
