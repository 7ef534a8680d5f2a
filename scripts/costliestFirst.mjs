import { BaseSequencer } from 'vitest/node'

const COSTS = ['.e2e.spec.', '.int.spec.', '.spec.']
const costOf = ({ moduleId }) => COSTS.findIndex((suffix) => moduleId.includes(suffix))

/** Files that take long begin first, so that no worker is left with one of them at the end. */
export default class CostliestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((one, other) => costOf(one) - costOf(other))
  }
}
