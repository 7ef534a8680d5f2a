import { type Configuration, priceOf, secondsOf } from '../tasks/contract.ts'
import type { VideoTaskOrder } from '../tasks/events.ts'

/**
 * Proves that orders cost what the version of the catalogue that they name says. See
 * docs/decisions/0020-catalogue-of-models.md.
 */
export class OrderPrices {
  /** Price of each configuration of each version. A version never changes a price. */
  readonly #known = new Map<string, number>()

  /** Returns the price of an order, or what is wrong with the order. */
  check(order: Configuration & Pick<VideoTaskOrder, 'modelVersion' | 'shape'>): number | string {
    const { taskType, model, resolution, duration, modelVersion, shape } = order
    if (!shape) return `It names version ${modelVersion} of ${model} without a price.`
    const { taskTypes, resolutions } = shape
    if (!taskTypes.includes(taskType) || !resolutions.includes(resolution) || !secondsOf(shape).includes(duration))
      return `Its price is that of another configuration of ${model}.`
    const price = priceOf(shape, duration)
    const cell = [model, modelVersion, taskType, resolution, duration].join(' ')
    const known = this.#known.get(cell) ?? price
    this.#known.set(cell, known)
    return known === price
      ? price
      : `Version ${modelVersion} of ${model} prices it at ${price} and at ${known} credits.`
  }
}
