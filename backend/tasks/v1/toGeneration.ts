import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { type CatalogueModel, cellsFor, creditCost, readResolution, type TaskType } from '../contract.ts'
import type { VideoOrder } from './v1.contract.ts'
import { matchSize, offeredSizes } from './videoSizes.ts'

const refused = (param: string, message: string) => new Rejection('invalid_value', message, { param })
const list = (values: Iterable<string | number>) => [...values].join(', ')

/**
 * Translates an order of `/v1` into the body of a generation, which the rules of the catalogue then check. What is left out is
 * the cheapest that the model offers. @throws Rejection invalid_value, price_changed
 */
export function toGeneration(order: VideoOrder, hasPicture: boolean, models: readonly CatalogueModel[]) {
  if (order.n !== undefined && order.n !== 1) throw refused('n', 'One order makes one video: leave n out, or send 1.')
  const model = models.find(({ id }) => id === order.model)
  if (!model) throw refused('model', `Choose one of these models: ${list(models.map(({ id }) => id))}.`)
  const task_type: TaskType = hasPicture ? 'image_to_video' : 'text_to_video'
  const cells = cellsFor(model, task_type)
  if (cells.length === 0)
    throw refused('input_reference', `${model.id} ${hasPicture ? 'takes no picture' : 'needs a picture'}.`)

  const size = order.size === undefined ? undefined : matchSize(model, task_type, order.size)
  if (order.size !== undefined && !size)
    throw refused('size', `${model.id} offers these sizes: ${list(offeredSizes(model, task_type))}.`)
  const resolutions = [...new Set(cells.map((cell) => cell.resolution))]
  const wished = order.resolution && (readResolution(order.resolution, resolutions) ?? order.resolution)
  const resolution = wished ?? size?.resolution
  const fitting = cells.filter((cell) => resolution === undefined || cell.resolution === resolution)
  const seconds = order.seconds === undefined ? undefined : Number(order.seconds)
  const offered = [...new Set(fitting.map(({ duration }) => duration))].sort((a, b) => a - b)
  if (seconds !== undefined && fitting.length > 0 && !offered.includes(seconds))
    throw refused('seconds', `${model.id} offers these lengths: ${list(offered)} seconds.`)
  const [cell] = fitting
    .filter(({ duration }) => seconds === undefined || duration === seconds)
    .sort((a, b) => a.credits - b.credits)
  if (!cell) throw refused('resolution', `${model.id} offers these resolutions: ${list(resolutions)}.`)

  const chosen = { model: model.id, resolution: cell.resolution, duration: cell.duration }
  const credits = creditCost(model, { taskType: task_type, ...chosen })
  if (order.max_credits !== undefined && credits > order.max_credits)
    throw new Rejection('price_changed', `This video costs ${credits} credits, more than max_credits.`, { credits })
  const aspect_ratio = order.aspect_ratio ?? size?.aspectRatio
  const wantsSound = order.generate_audio ?? order.generate_sound
  return {
    ...{ task_type, ...chosen, prompt: order.prompt ?? '', expected_credits: credits },
    ...(aspect_ratio !== undefined && { aspect_ratio }),
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(order.negative_prompt && { negative_prompt: order.negative_prompt }),
    // Clients send "no sound" to models that have none.
    ...(wantsSound !== undefined && (wantsSound || model.sound) && { sound: wantsSound }),
  }
}
